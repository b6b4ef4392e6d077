package io.postrider.spring;

import io.postrider.PostriderException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Finds the transaction manager of Postrider's data source among those of the application. */
final class TransactionManagers {
    private static final Logger log = LoggerFactory.getLogger(TransactionManagers.class);

    /** The name of a manager that is not a bean. */
    private static final String OWN = "(Postrider's own)";

    private final ConfigurableListableBeanFactory beans;
    private final DataSource dataSource;
    private final @Nullable String wanted;

    /** @param wanted the name of the bean to use; null: the one for this data source */
    TransactionManagers(ConfigurableListableBeanFactory beans, DataSource dataSource, @Nullable String wanted) {
        this.beans = beans;
        this.dataSource = bare(dataSource);
        this.wanted = wanted;
    }

    PlatformTransactionManager choose() {
        PlatformTransactionManager manager = wanted == null || wanted.isBlank() ? forDataSource() : named(wanted);
        log.info(
                "handler_transactions manager={} type={}",
                nameOf(manager),
                manager.getClass().getSimpleName());
        return manager;
    }

    private PlatformTransactionManager named(String name) {
        PlatformTransactionManager manager = managers().get(name);
        if (manager == null) {
            throw PostriderException.refused(
                    "postrider.transaction-manager names " + name + ", which is not a transaction manager; found: "
                            + String.join(", ", managers().keySet()));
        }
        DataSource managed = dataSourceOf(manager);
        if (managed != null && !managed.equals(dataSource)) {
            throw PostriderException.refused(
                    "postrider.transaction-manager names " + name + ", which does not manage Postrider's data source");
        }
        return manager;
    }

    String nameOf(PlatformTransactionManager manager) {
        return managers().entrySet().stream()
                .filter(entry -> entry.getValue() == manager)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(OWN);
    }

    private Map<String, PlatformTransactionManager> managers() {
        return BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, PlatformTransactionManager.class);
    }

    private PlatformTransactionManager forDataSource() {
        Map<String, PlatformTransactionManager> ours = new LinkedHashMap<>();
        managers().forEach((name, manager) -> {
            if (dataSource.equals(dataSourceOf(manager))) {
                ours.put(name, manager);
            }
        });
        if (ours.isEmpty()) {
            if (!managers().isEmpty()) {
                log.warn(
                        "handler_transactions none of the transaction managers {} manages Postrider's data source: what a"
                                + " transactional handler writes through them is not part of its transaction; name one in"
                                + " postrider.transaction-manager",
                        managers().keySet());
            }
            return new JdbcTransactionManager(dataSource); // JdbcClient and the like join it as well
        }
        List<String> names = preferred(ours);
        if (names.size() != 1) {
            throw PostriderException.refused("several transaction managers manage Postrider's data source: "
                    + String.join(", ", names) + "; name one in postrider.transaction-manager");
        }
        return Objects.requireNonNull(ours.get(names.get(0)));
    }

    /** The primary one, else the one that is not plain JDBC: JDBC joins JPA's transactions, but not the reverse. */
    private List<String> preferred(Map<String, PlatformTransactionManager> ours) {
        List<String> primary = ours.keySet().stream().filter(this::isPrimary).toList();
        if (!primary.isEmpty()) {
            return primary;
        }
        List<String> more = ours.entrySet().stream()
                .filter(entry -> !(entry.getValue() instanceof DataSourceTransactionManager))
                .map(Map.Entry::getKey)
                .toList();
        return more.isEmpty() ? List.copyOf(ours.keySet()) : more;
    }

    private boolean isPrimary(String name) {
        return beans.containsBeanDefinition(name)
                && beans.getBeanDefinition(name).isPrimary();
    }

    /** Reads the property that the managers for JDBC, JPA and Hibernate have, so that their classes are not needed here. */
    private static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
        BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
        return properties.isReadableProperty("dataSource")
                        && properties.getPropertyValue("dataSource") instanceof DataSource found
                ? bare(found)
                : null;
    }

    /** The proxy would close its connection when the transaction ends. Transaction managers unwrap it as well. */
    static DataSource bare(DataSource dataSource) {
        if (dataSource instanceof TransactionAwareDataSourceProxy proxy) {
            DataSource target = proxy.getTargetDataSource();
            return target == null ? dataSource : target;
        }
        return dataSource;
    }
}
