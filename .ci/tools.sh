# shellcheck shell=bash
# Finds what a build needs. Sourced by ./postrider and ./test, which set $me to their own name.

say() { printf '%s: %s\n' "${me:?}" "$*" >&2; }
die() { say "$*"; exit 1; }

# The major version of a Java installation. It is read from the release file if there is one, because asking the JVM takes 100 ms.
java_major() {
  local real version=''
  real=$(readlink -f "$1" 2>/dev/null || printf '%s' "$1")
  if [ -r "${real%/bin/java}/release" ]; then
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "${real%/bin/java}/release")
  fi
  if [ -z "$version" ]; then
    version=$("$1" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
  fi
  printf '%s' "${version:-0}"
}

# Sets $java, 17 or later: that of JAVA_HOME if set, else the one on the PATH.
find_java() {
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || die "JAVA_HOME is $JAVA_HOME, but there is no bin/java in it"
  else
    java=$(command -v java) || die "needs Java 17 or later: install a JDK (Debian: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME"
  fi
  local major
  major=$(java_major "$java")
  [ "$major" -ge 17 ] || die "needs Java 17 or later, but $java is $major: set JAVA_HOME to a newer one"
}

# A JRE can run Postrider but cannot build it.
need_jdk() {
  local real
  real=$(readlink -f "$java" 2>/dev/null || printf '%s' "$java")
  [ -x "${real%/java}/javac" ] ||
    die "$java is a runtime without a compiler: install a JDK (Debian: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME"
}

# Runs apt-get install as root, or with sudo if that needs no password; otherwise fails. The log gets its output.
apt_install() {
  local log=$1 as_root=()
  shift
  command -v apt-get >/dev/null || return 1
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  mkdir -p "$(dirname "$log")"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@")
  # The package lists may be outdated or missing, as in a new container.
  "${install[@]}" >>"$log" 2>&1 || { "${as_root[@]}" apt-get update >>"$log" 2>&1 && "${install[@]}" >>"$log" 2>&1; }
}

# Finds or installs Maven, 3.8 or later.
find_maven() {
  local advice="install Maven 3.8 or later (Debian: apt-get install maven; else https://maven.apache.org)" version
  if ! command -v mvn >/dev/null; then
    say "installing Maven (once)"
    apt_install "$1" maven || die "$advice"
  fi
  version=$(mvn -v 2>/dev/null | sed -n 's/.*Apache Maven \([0-9]*\.[0-9]*\).*/\1/p')
  case $version in
    3.[0-7] | 2.* | 1.* | '') die "needs Maven 3.8 or later, found ${version:-none}: $advice" ;;
  esac
}
