package io.postrider.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that an endpoint may have. An event must not become a request to something that only this machine can reach: its
 * own services, its internal network, the cloud's metadata (SSRF). Only public unicast addresses are allowed; every other range
 * has a stated reason. An IPv6 address that contains an IPv4 one is checked by that one too, because a translator on the way
 * unpacks it.
 */
final class AddressRule {
    private static final class Block {
        final byte[] prefix;
        final int bits;
        final String what;
        /** Forbidden even for a host that is trusted by name: no webhook has such an address. */
        final boolean never;

        Block(byte[] prefix, int bits, String what, boolean never) {
            this.prefix = prefix;
            this.bits = bits;
            this.what = what;
            this.never = never;
        }

        boolean holds(byte[] address) {
            if (address.length != prefix.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit += 8) {
                int mask = bits - bit >= 8 ? 0xff : (0xff << (8 - (bits - bit))) & 0xff;
                if (((address[bit / 8] ^ prefix[bit / 8]) & mask) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The first range that contains an address names it, so narrow ranges come first. */
    private static final List<Block> BLOCKS = List.of(
            never("169.254.169.254/32", "a metadata service's"),
            never("169.254.170.2/32", "a metadata service's"),
            never("169.254.170.23/32", "a metadata service's"),
            never("100.100.100.200/32", "a metadata service's"),
            never("192.0.0.192/32", "a metadata service's"),
            never("168.63.129.16/32", "a metadata service's"),
            never("0.0.0.0/8", "an unspecified"),
            never("224.0.0.0/4", "a multicast"),
            never("255.255.255.255/32", "a broadcast"),
            block("127.0.0.0/8", "a loopback"),
            block("169.254.0.0/16", "a link-local"),
            block("10.0.0.0/8", "a private"),
            block("172.16.0.0/12", "a private"),
            block("192.168.0.0/16", "a private"),
            block("100.64.0.0/10", "a carrier's private"),
            block("192.0.0.0/24", "a reserved"),
            block("192.0.2.0/24", "a documentation"),
            block("198.51.100.0/24", "a documentation"),
            block("203.0.113.0/24", "a documentation"),
            block("192.88.99.0/24", "a reserved"),
            block("198.18.0.0/15", "a benchmarking"),
            block("240.0.0.0/4", "a reserved"),
            never("fd00:ec2::254/128", "a metadata service's"),
            never("fd00:ec2::23/128", "a metadata service's"),
            never("fd20:ce::254/128", "a metadata service's"),
            never("::/128", "an unspecified"),
            never("ff00::/8", "a multicast"),
            block("::1/128", "a loopback"),
            block("fe80::/10", "a link-local"),
            block("fec0::/10", "a private"),
            block("fc00::/7", "a private"),
            block("2001::/23", "a reserved"),
            block("2001:db8::/32", "a documentation"),
            block("3fff::/20", "a documentation"));

    private static final Block GLOBAL_UNICAST = block("2000::/3", "a public");
    private static final Block NAT64 = block("64:ff9b::/96", "a translated");
    private static final Block SIX_TO_FOUR = block("2002::/16", "a 6to4");
    private static final Block TEREDO = block("2001::/32", "a Teredo");

    private AddressRule() {}

    /** The kind of address, with its article, if it is forbidden; null if it is allowed. */
    static @Nullable String objection(InetAddress address, boolean trusted) {
        return objection(address.getAddress(), trusted);
    }

    private static @Nullable String objection(byte[] address, boolean trusted) {
        byte[] inner = address.length == 16 ? inner(address) : null;
        String within = inner == null ? null : objection(inner, trusted);
        if (within != null) {
            return within;
        }
        for (Block block : BLOCKS) {
            if (block.holds(address)) {
                return block.never || !trusted ? block.what : null;
            }
        }
        boolean known =
                address.length == 4 || GLOBAL_UNICAST.holds(address) || NAT64.holds(address) || isMapped(address);
        return known || trusted ? null : "a reserved";
    }

    /** The IPv4 address inside an IPv6 one. */
    private static byte @Nullable [] inner(byte[] address) {
        if (SIX_TO_FOUR.holds(address)) {
            return Arrays.copyOfRange(address, 2, 6);
        }
        byte[] last = Arrays.copyOfRange(address, 12, 16);
        if (TEREDO.holds(address)) {
            for (int i = 0; i < 4; i++) {
                last[i] = (byte) ~last[i];
            }
            return last;
        }
        return NAT64.holds(address) || isMapped(address) || isCompatible(address) || isIsatap(address) ? last : null;
    }

    /** {@code ::ffff:a.b.c.d}, and {@code ::ffff:0:a.b.c.d} of older translators. */
    private static boolean isMapped(byte[] address) {
        boolean plain = isZero(address, 10) && ones(address, 10);
        boolean older = isZero(address, 8) && ones(address, 8) && address[10] == 0 && address[11] == 0;
        return plain || older;
    }

    /** {@code ::a.b.c.d}, long deprecated; {@code ::} and {@code ::1} look like it but are different. */
    private static boolean isCompatible(byte[] address) {
        return isZero(address, 12) && !isZero(address, 15);
    }

    /** Any network, then {@code :0:5efe:a.b.c.d} or {@code :200:5efe:a.b.c.d}. */
    private static boolean isIsatap(byte[] address) {
        return (address[8] & ~2) == 0 && address[9] == 0 && address[10] == 0x5e && address[11] == (byte) 0xfe;
    }

    private static boolean isZero(byte[] address, int bytes) {
        return Arrays.equals(address, 0, bytes, new byte[bytes], 0, bytes);
    }

    private static boolean ones(byte[] address, int at) {
        return address[at] == -1 && address[at + 1] == -1;
    }

    private static Block block(String cidr, String what) {
        int slash = cidr.indexOf('/');
        try {
            byte[] prefix = InetAddress.getByName(cidr.substring(0, slash)).getAddress();
            return new Block(prefix, Integer.parseInt(cidr.substring(slash + 1)), what, false);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(cidr + " is not a block of addresses", e);
        }
    }

    private static Block never(String cidr, String what) {
        Block block = block(cidr, what);
        return new Block(block.prefix, block.bits, what, true);
    }
}
