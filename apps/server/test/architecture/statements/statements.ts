import { columnsTaken, type Declaration, type Scope } from './declarations.ts';
import { accountColumns, sortTables, type Table } from './tables.ts';

type Statement = {
  /** `pulls/queries/cooldown.ts#lockCooldown`, without what all paths begin with. */
  id: string;
  tables: string[];
  /**
   * `account`: it names one. `insert`: it only adds rows. `shared`: it touches no account's table.
   * `crossing`: which accounts' rows it touches does not stand in it.
   */
  sort: 'account' | 'insert' | 'shared' | 'crossing';
};

type Column = { table: string; name: string };

const words =
  /\.\s*(?:select|selectDistinct|selectDistinctOn|insert|update|delete|execute|\$count)\s*(?:<[^>]*>)?\(|`\s*\(?\s*(?:select|insert into|update|delete from|with)\b/i;
/** What is handed a connection sends a statement; the rest is part of one. */
const connection = /\b(?:Queryable|Transaction|Database|batchedRead|preparedRead|preparedStep)\b/;
const conditionGiven = /\w+\??: SQL(?:<\w+>)?(?: \| undefined)?\s*[,)]/;
const sqlTable = /\b(?:from|join|into|update)\s+"?([a-z_]+)"?/gi;
const conditions = [
  /\b(?:eq|inArray)\(\s*([\w.]+)\s*,\s*([\w.]*)/g,
  /\$\{([\w.]+)\}\s*(?:=|in\b)\s*(?:any\()?\s*(?:\$\{([\w.]*))?/g,
  /=\s*\$\{([\w.]+)\}()/g,
];
const sqlCondition = /\b(?:account|seller|buyer)_id"?\s*(?:=|in\b)\s*(?:any\()?\s*\$\{([\w.]+)/g;

/** Every statement of the service, one for each function that sends one. */
export const readStatements = (scope: Scope, tables: Table[]): Statement[] => {
  const sorts = sortTables(tables);
  const tableOf = tableFinder(scope, tables);
  const columnOf = columnFinder(scope, tableOf);
  const tablesIn = (part: Declaration) => [
    ...namesInCode(part.text).flatMap((name) => {
      const column = scope.find(part.path, name)?.column;
      return tableOf(part.path, column?.of ?? name)?.sqlName ?? [];
    }),
    ...[...part.text.matchAll(sqlTable)].map(([, name = '']) => name),
  ];
  const describe = (sent: Declaration): Statement => {
    const parts = partsOf(scope, sent);
    const touched = [...new Set(parts.flatMap(tablesIn))].filter((name) => sorts.has(name));
    const isShared = touched.every((name) => sorts.get(name) === 'shared');
    const isNamed = parts.some((part) => namesOneAccount(part, columnOf));
    const insertsOnly = /\.insert\(|insert into/.test(sent.text) && !reads.test(sent.text);
    const sort = isShared ? 'shared' : isNamed ? 'account' : insertsOnly ? 'insert' : 'crossing';
    return { id: idOf(sent), tables: touched, sort };
  };
  return statementsIn(scope)
    .map(describe)
    .filter(({ tables: touched }) => touched.length > 0);
};

const reads = /\.(?:select|update|delete)\w*\(|\bselect\b/i;

const idOf = ({ path, name }: Declaration): string =>
  `${path.replace(/^apps\/server\/src\/(?:features\/)?/, '')}#${name}`;

const isTableFile = ({ path }: Declaration): boolean => path.endsWith('/table.ts');

const isBuilt = ({ text }: Declaration): boolean => connection.test(text) && words.test(text);

/** Builds with a connection what others send: a condition, or what a function of its file goes on with. */
const isPart = (one: Declaration): boolean =>
  isBuilt(one) &&
  (/(?:return|=>)\s*(?:and|or|not|exists|notExists)\(/.test(one.text) ||
    !/^export|\basync\b|\bPromise\b|\bprepared|\bbatchedRead/.test(one.text));

/** Its caller says which rows, as with `countRows(db, table, where)`. */
const isHelper = (one: Declaration): boolean =>
  one.path.includes('/src/db/queries/')
    ? connection.test(one.text)
    : isBuilt(one) && conditionGiven.test(one.text);

const statementsIn = (scope: Scope): Declaration[] =>
  scope.declarations.filter((one) => {
    if (isTableFile(one) || isHelper(one) || isPart(one)) return false;
    const called = namesInCode(one.text).map((name) => scope.find(one.path, name));
    return isBuilt(one) || called.some((next) => next && (isHelper(next) || isPart(next)));
  });

/** A statement's own text, and what it is put together from, but not other statements. */
const partsOf = (
  scope: Scope,
  one: Declaration,
  passed = new Set<Declaration>(),
): Declaration[] => {
  passed.add(one);
  for (const name of namesInCode(one.text)) {
    const next = scope.find(one.path, name);
    if (!next || next.column || passed.has(next) || isTableFile(next)) continue;
    if (!isBuilt(next) || isHelper(next) || isPart(next)) partsOf(scope, next, passed);
  }
  return [...passed];
};

/** The names in a text, without the words of strings and of SQL. */
const namesInCode = (text: string): string[] => {
  const code = text
    .replace(/'[^'\n]*'/g, "''")
    .replace(/`(?:\\.|[^`\\])*`/g, (template) =>
      [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, inside]) => inside).join(' '),
    );
  return [...new Set(code.match(/\b[a-zA-Z_]\w*\b/g))];
};

type TableFinder = (path: string, name: string) => Table | undefined;

const tableFinder = (scope: Scope, tables: Table[]): TableFinder => {
  const byKey = new Map(tables.map((table) => [`${table.path}#${table.name}`, table]));
  const find: TableFinder = (path, name) => {
    const origin = scope.origin(path, name);
    const own = byKey.get(`${origin.path}#${origin.name}`);
    const other = /alias\(\s*(\w+)/.exec(scope.find(path, name)?.text ?? '')?.[1];
    return own ?? (other === undefined || other === name ? undefined : find(path, other));
  };
  return find;
};

type ColumnFinder = (part: Declaration, reference: string) => Column | undefined;

/** `members.accountId`, or `accountId` where it was taken out of a table. */
const columnFinder =
  (scope: Scope, tableOf: TableFinder): ColumnFinder =>
  (part, reference) => {
    const [first = '', second] = reference.split('.');
    const local = columnsTaken(part.text).find(({ name }) => name === first);
    const taken = local ?? scope.find(part.path, first);
    const [of, name] =
      second === undefined ? [taken?.column?.of, taken?.column?.name] : [first, second];
    if (of === undefined || name === undefined) return undefined;
    const aliased = new RegExp(`const ${of} = alias\\(\\s*(\\w+)`).exec(part.text)?.[1];
    const table = tableOf(part.path, aliased ?? of);
    return table?.columns.includes(name) ? { table: table.sqlName, name } : undefined;
  };

/** A condition on the account with a value; a join by it, of two columns, leaves open which. */
const namesOneAccount = (part: Declaration, columnOf: ColumnFinder): boolean => {
  const isValue = (side = '') => !side.includes('.') || columnOf(part, side) === undefined;
  const built = conditions.flatMap((pattern) => [...part.text.matchAll(pattern)]);
  return (
    built.some(([, left = '', right]) => isAccount(columnOf(part, left)) && isValue(right)) ||
    [...part.text.matchAll(sqlCondition)].some(([, right]) => isValue(right))
  );
};

const isAccount = (column: Column | undefined): boolean =>
  column !== undefined &&
  (accountColumns.includes(column.name) || (column.table === 'accounts' && column.name === 'id'));
