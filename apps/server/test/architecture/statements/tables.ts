import { join } from 'node:path';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';

export type Table = {
  /** Where it is declared, and by which name. */
  path: string;
  name: string;
  sqlName: string;
  columns: string[];
  primaryKey: string[];
  uniqueKeys: string[][];
  /** Names of tables. */
  references: string[];
};

/**
 * `account`: each row names its account. `child`: it belongs to one by a row that it refers to.
 * `shared`: it belongs to none, or is found before the account is known.
 */
type TableSort = 'account' | 'child' | 'shared';

/** In the marketplace an account is a seller or a buyer. */
export const accountColumns = ['accountId', 'sellerId', 'buyerId'];

export const readTables = async (root: string): Promise<Table[]> => {
  const paths = [...new Bun.Glob('apps/server/src/**/table.ts').scanSync(root)].sort();
  const modules = await Promise.all(
    paths.map(async (path) => ({ path, exports: await import(join(root, path)) })),
  );
  return modules.flatMap(({ path, exports }) =>
    Object.entries(exports).flatMap(([name, value]) =>
      is(value, PgTable) ? [describeTable(path, name, value)] : [],
    ),
  );
};

const describeTable = (path: string, name: string, table: PgTable): Table => {
  const config = getTableConfig(table);
  const namesOf = (columns: { name: string }[]) => columns.map((column) => column.name);
  const indexes = config.indexes.filter((index) => index.config.unique);
  return {
    path,
    name,
    sqlName: config.name,
    columns: namesOf(config.columns),
    primaryKey: [
      ...config.primaryKeys.flatMap((key) => namesOf(key.columns)),
      ...namesOf(config.columns.filter((column) => column.primary)),
    ],
    uniqueKeys: [
      ...config.uniqueConstraints.map((key) => namesOf(key.columns)),
      ...config.columns.filter((column) => column.isUnique).map((column) => [column.name]),
      ...indexes.map((index) =>
        index.config.columns.map((column) => ('name' in column ? String(column.name) : '')),
      ),
    ],
    references: config.foreignKeys.map((key) => getTableConfig(key.reference().foreignTable).name),
  };
};

export const sortTables = (tables: Table[]): Map<string, TableSort> => {
  const byName = new Map(tables.map((table) => [table.sqlName, table]));
  const sortOf = (sqlName: string, passed: string[] = []): TableSort => {
    const table = byName.get(sqlName);
    if (!table || passed.includes(sqlName)) return 'shared';
    if (sqlName === 'accounts' || namesAccount(table.columns)) return 'account';
    const isOwned = table.references.some(
      (next) => sortOf(next, [...passed, sqlName]) !== 'shared',
    );
    return isOwned ? 'child' : 'shared';
  };
  return new Map(tables.map(({ sqlName }) => [sqlName, sortOf(sqlName)]));
};

/** The rows of the table in docs/scaling.md: name, by what it belongs to an account, keys without it. */
export const describeKeys = (tables: Table[]): string[] => {
  const sorts = sortTables(tables);
  return tables
    .toSorted((one, other) => (one.sqlName < other.sqlName ? -1 : 1))
    .map((table) => {
      const keys = [table.primaryKey, ...table.uniqueKeys].filter((key) => !hasAccount(table, key));
      const isShared = sorts.get(table.sqlName) === 'shared';
      const shown = isShared ? [] : keys.map((key) => `(${key.map(toSqlName).join(', ')})`);
      return `| \`${table.sqlName}\` | ${belongsBy(table, sorts)} | ${shown.join(' ')} |`;
    });
};

const hasAccount = ({ sqlName }: Table, key: string[]): boolean =>
  namesAccount(key) || (sqlName === 'accounts' && key.includes('id'));

const belongsBy = (table: Table, sorts: Map<string, TableSort>): string => {
  if (table.sqlName === 'accounts') return '`id`';
  const own = table.columns.filter((column) => accountColumns.includes(column));
  if (own.length > 0) return own.map((column) => `\`${toSqlName(column)}\``).join(', ');
  const owned = table.references.filter((name) => sorts.get(name) !== 'shared');
  return owned.length === 0
    ? '—'
    : `through ${[...new Set(owned)].map((name) => `\`${name}\``).join(', ')}`;
};

const toSqlName = (column: string): string =>
  column === ''
    ? 'an expression'
    : column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const namesAccount = (columns: string[]): boolean =>
  columns.some((column) => accountColumns.includes(column));
