import { type CatalogOperation, catalog, type JsonSchema } from './src/catalog/index.ts';

/**
 * Puts what the contract says about operations and their fields into the declarations, where editors
 * look for it. The compiler has written each operation as `name: { input: {…}; output: {…} }`, and the
 * client as a mapped type of them, in which editors find no comments: here it becomes an interface.
 */
export const addHoverComments = (declarations: string): string => {
  const [types, rest] = declarations.split(mappedOperations);
  if (types === undefined || rest === undefined) throw new Error('The operations are missing');
  return `${commentFields(types)}${operationsInterface()}${rest}`;
};

const mappedOperations = /export type Operations = \{\s*\[Name in keyof ApiTypes\]:[^}]*\};/;

const operationsInterface = (): string => {
  const members = catalog.flatMap((operation) => [
    ...commentLines(commentOfOperation(operation), '    '),
    `    ${operation.name}: Operation<ApiTypes['${operation.name}']>;`,
  ]);
  return ['export interface Operations {', ...members, '}'].join('\n');
};

const commentFields = (types: string): string => {
  const path: string[] = [];
  const lines = types.split('\n').flatMap((line) => {
    const [, indent, name] = /^( {4,})(\w+)\??: /.exec(line) ?? [];
    if (indent === undefined || name === undefined) return [line];
    path.splice(indent.length / 4 - 1, path.length, name);
    return [...commentLines(commentOfField(path), indent), line];
  });
  return lines.join('\n');
};

const commentLines = (comment: string, indent: string): string[] => {
  if (comment === '') return [];
  // A comment must not end within its text.
  const lines = comment.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */'].map(
    (line) => indent + line,
  );
};

/** Of a field such as `operations.listServers.input.query.limit`. */
const commentOfField = ([root, name, side, ...fields]: string[]): string => {
  const operation = catalog.find((known) => known.name === name);
  if (root !== 'operations' || !operation || side === undefined) return '';
  if (side === 'output') return descriptionIn([operation.outputSchema], fields);
  const [part, ...ofPart] = fields;
  const { params, query, body } = operation;
  const schema = part && { params, query, body }[part];
  return schema && ofPart.length > 0 ? descriptionIn([schema], ofPart) : '';
};

const commentOfOperation = (operation: CatalogOperation): string => {
  const { summary, description, method, path, scope, feature, refusals } = operation;
  const demands = [`scope \`${scope}\``, feature && `a plan with \`${feature}\``];
  return [
    `${summary}.`,
    description,
    `\`${method} ${path}\` needs ${demands.filter(Boolean).join(' and ')}.`,
    Object.entries(refusals)
      .map(([status, reason]) => `- ${status}: ${reason}`)
      .join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
};

/** Empty if the field has none, or several kinds of records describe it differently. */
const descriptionIn = (schemas: JsonSchema[], [name, ...rest]: string[]): string => {
  if (name === undefined) {
    const [first = '', ...others] = new Set(schemas.map(({ description = '' }) => description));
    return others.length === 0 ? first : '';
  }
  const fields = schemas.flatMap(objectsIn).flatMap(({ properties }) => properties?.[name] ?? []);
  return descriptionIn(fields, rest);
};

/** The objects that it consists of, be it a list, nullable or a choice. */
const objectsIn = (schema: JsonSchema): JsonSchema[] => {
  const { items, anyOf = [], oneOf = [], allOf = [], additionalProperties } = schema;
  const inner = [items, ...anyOf, ...oneOf, ...allOf, additionalProperties];
  return [schema, ...inner.flatMap((one) => (typeof one === 'object' ? objectsIn(one) : []))];
};
