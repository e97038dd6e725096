import { splitList } from './statements.ts';

/** What a contract step does, in the words of `readyFor` in releases.json; undefined for what it never may. */
export const changesOf = (statement: string): (string | undefined)[] => {
  const alter = /^alter table (?:if exists )?(?:only )?([\w.]+) (.*)/.exec(statement);
  if (alter) {
    const [, table = '', actions = ''] = alter;
    return splitList(actions).map((action) => changeOfAction(table, action));
  }
  const dropped = /^drop (table|index|view|sequence|type|function) (.*)/.exec(statement);
  if (dropped) {
    const [, kind = '', rest = ''] = dropped;
    const names = rest.replace(/^(?:concurrently )?(?:if exists )?/, '').replace(/ restrict$/, '');
    // `cascade` takes more away than the statement names.
    return / cascade$/.test(names)
      ? [undefined]
      : splitList(names).map((name) => `drop ${kind} ${name}`);
  }
  const unique = /^create unique index concurrently (?:if not exists )?(\w+) on /.exec(statement);
  return [unique ? `create unique index ${unique[1]}` : undefined];
};

const changeOfAction = (table: string, action: string): string | undefined => {
  const column = /^alter (?:column )?(\w+) (set not null|drop not null|drop default)$/.exec(action);
  if (column) return `${column[2]} ${table}.${column[1]}`;
  const constraint = /^(add|drop) constraint (?:if exists )?(\w+)(.*)$/.exec(action);
  if (constraint) {
    const [, verb, name, rest = ''] = constraint;
    const isSafe = verb === 'drop' ? !rest.includes('cascade') : rest.endsWith('not valid');
    return isSafe ? `${verb} constraint ${table}.${name}` : undefined;
  }
  const dropped = /^drop (?:column )?(?:if exists )?(\w+)$/.exec(action);
  return dropped ? `drop column ${table}.${dropped[1]}` : undefined;
};
