import { splitList } from './statements.ts';

/** What the steps of one release have added so far: old code has never heard of it. */
export type Added = { tables: Set<string>; columns: Set<string> };

/** Why the code of the release before may not survive the statement; undefined where it does. */
export const faultOfExpand = (statement: string, added: Added): string | undefined => {
  const rule = rules.find(({ begins }) => begins.test(statement));
  if (!rule) return 'is not known to be safe beside old code';
  const found = rule.begins.exec(statement);
  const [table = '', rest = ''] = found?.slice(1) ?? [];
  return rule.fault({ table, rest, added, statement });
};

type Found = { table: string; rest: string; added: Added; statement: string };
type Rule = { begins: RegExp; fault(found: Found): string | undefined };

const none = () => undefined;
const onNewTable =
  (otherwise: string) =>
  ({ table, added }: Found): string | undefined =>
    added.tables.has(table) ? undefined : otherwise;

/** In this order; the first group is the table. */
const rules: Rule[] = [
  {
    begins: /^create table ((?:if not exists )?[\w.]+)(.*)/,
    fault({ table, rest, added }) {
      // One that may exist already is not known to be new, and what follows could change it.
      if (table.startsWith('if not exists ')) return 'may find a table that old code uses';
      if (/^ partition of | inherits ?\(/.test(rest)) return 'takes rows that old code may write';
      added.tables.add(table);
      return undefined;
    },
  },
  {
    begins: /^create unique index .*?\bon (?:only )?([\w.]+)/,
    fault: onNewTable('refuses rows that old code may write'),
  },
  { begins: /^create index concurrently /, fault: none },
  {
    begins: /^create index .*?\bon (?:only )?([\w.]+)/,
    fault: onNewTable('stops writes while the index is built: create it concurrently'),
  },
  { begins: /^alter table (?:if exists )?(?:only )?([\w.]+) (.*)/, fault: faultOfAlter },
  { begins: /^create (?:extension|schema|sequence|type|view|function) /, fault: none },
  { begins: /^comment on /, fault: none },
  {
    begins: /^create (?:constraint )?trigger .*?\bon ([\w.]+)/,
    fault: onNewTable('runs for what old code writes'),
  },
  {
    begins: /^(?:insert into|update|delete from) (?:only )?([\w.]+)/,
    fault: onNewTable('locks rows of a table in use: change them in a job, a few at a time'),
  },
];

function faultOfAlter({ table, rest, added }: Found): string | undefined {
  const isNew = added.tables.has(table);
  for (const action of splitList(rest)) {
    const column = addedColumn.exec(action);
    if (column) added.columns.add(`${table}.${column[1]}`);
    const fault = column ? faultOfColumn(column[2] ?? '') : faultOfAction(action, table, added);
    if (fault && !isNew) return fault;
  }
  return undefined;
}

/** A constraint without a name begins like a column that is added without the word for it. */
const addedColumn =
  /^add (?:column |(?!(?:constraint|unique|primary|check|exclude|foreign|not) ?\b))(?:if not exists )?(\w+) (.*)/;

/** Of functions only these give one value for all rows that exist; what others give, nobody here knows. */
const changingDefault = /default .*?\b(?!(?:now|current_timestamp|numeric|varchar|char)\b)\w+ ?\(/;
const columnFaults: [RegExp, string][] = [
  [
    /\bnot null\b(?!.*\bdefault\b)(?<!\bdefault\b.*)/,
    'is not null without a default: old code writes none',
  ],
  [/\bdefault null\b.*\bnot null\b|\bnot null\b.*\bdefault null\b/, 'is null where it may not be'],
  [/\b(?:unique|primary key|check)\b/, 'refuses rows that old code may write'],
  [
    /\breferences\b/,
    'locks both tables: add the constraint "not valid" and validate it in a later step',
  ],
  [/\bgenerated\b|\b(?:big|small)?serial\d?\b/, 'rewrites the whole table'],
  [changingDefault, 'may rewrite the whole table: its default is another one for each row'],
];

const faultOfColumn = (definition: string): string | undefined =>
  columnFaults.find(([found]) => found.test(definition))?.[1];

const safeAction =
  /^(?:alter (?:column )?\w+ set (?:default(?! null\b)|statistics) |validate constraint |set \()/;

const faultOfAction = (action: string, table: string, added: Added): string | undefined => {
  if (safeAction.test(action)) return undefined;
  if (!action.startsWith('add constraint ')) return 'is not known to be safe beside old code';
  if (!/^add constraint \w+ (?:check|foreign key)\b.*\bnot valid$/.test(action)) {
    return 'reads the whole table under a lock, or refuses rows that old code may write: only a check or foreign key that is "not valid" is possible';
  }
  const words = new Set(action.match(/\w+/g));
  const isAboutNew = [...added.columns].some((name) => {
    const [of, column = ''] = name.split('.');
    return of === table && words.has(column);
  });
  return isAboutNew ? undefined : 'binds what old code writes: it names no column of this release';
};
