import { namesIn, resolveImport, type SourceFile, withoutComments } from '../source-file.ts';

/**
 * A constant or function at the top of a file. `column` stands for one that is taken out of a table, as
 * `id` in `const { id } = members`.
 */
export type Declaration = {
  path: string;
  name: string;
  text: string;
  column?: { of: string; name: string };
};

/** Finds what a name means in a file: its own declaration, or the one that it imports. */
export type Scope = {
  declarations: Declaration[];
  find(path: string, name: string): Declaration | undefined;
  /** The file and the name there under which an import was exported. */
  origin(path: string, name: string): { path: string; name: string };
};

const start = /^(?=(?:export |async |const |function |type |import |class |interface |let ))/m;
const declared = /^(?:export )?(?:async )?(?:const|let|function\*?)\s+(\w+)/;
const destructured = /(?:^|\n)\s*(?:export )?const \{([^}]*)\} =\s+(\w+);/g;

export const readScope = (files: SourceFile[]): Scope => {
  const declarations = files.flatMap(declarationsIn);
  const byKey = new Map(declarations.map((one) => [keyOf(one.path, one.name), one]));
  const imported = new Map(files.flatMap(importedIn));
  const origin = (path: string, name: string) => imported.get(keyOf(path, name)) ?? { path, name };
  const find = (path: string, name: string) => {
    const { path: from, name: original } = origin(path, name);
    return byKey.get(keyOf(path, name)) ?? byKey.get(keyOf(from, original));
  };
  return { declarations, find, origin };
};

const keyOf = (path: string, name: string): string => `${path}#${name}`;

const declarationsIn = ({ path, text }: SourceFile): Declaration[] =>
  withoutComments(text)
    .split(start)
    .flatMap((part) => {
      const name = declared.exec(part)?.[1];
      if (name !== undefined) return [{ path, name, text: part }];
      return columnsTaken(part).map((taken) => ({ path, text: '', ...taken }));
    });

/** The columns that a text takes out of tables, by the names it gives them. */
export const columnsTaken = (text: string) =>
  [...text.matchAll(destructured)].flatMap(([, list = '', of = '']) =>
    list
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map((entry) => {
        const [name = '', local = name] = entry.split(':').map((side) => side.trim());
        return { name: local, column: { of, name } };
      }),
  );

const importClause = /^import\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'([^']+)'/gm;

const importedIn = (file: SourceFile) =>
  [...file.text.matchAll(importClause)].flatMap(([, list = '', specifier = '']) => {
    const path = resolveImport(file, specifier);
    if (path === undefined) return [];
    return namesIn(list).map(([name, local]) => [keyOf(file.path, local), { path, name }] as const);
  });
