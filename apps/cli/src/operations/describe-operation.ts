import type { CatalogOperation } from '@holdfast/sdk/catalog';
import {
  type ArgumentSpec,
  type CommandSpec,
  dryRunOption,
  type Example,
  type OptionSpec,
  yesOption,
} from '../command.ts';
import { pathParams } from './call.ts';
import { outputFieldsOf } from './entry-schema.ts';
import { coreOf, type FieldFlag, flagsOf, optionsOf } from './flags.ts';
import { runOperation } from './run-operation.ts';

/** The command of an operation; its details are made where they are read, of the one that is run. */
export const describeOperation = (operation: CatalogOperation): CommandSpec => ({
  words: [...operation.command],
  summary: operation.summary,
  get description() {
    return descriptionOf(operation);
  },
  get arguments() {
    return argumentsOf(operation);
  },
  get options() {
    return operationOptions(operation);
  },
  get examples() {
    return examplesOf(operation);
  },
  get outputFields() {
    return outputFieldsOf(operation);
  },
  placeOf: (field) => placeOfField(operation, field),
  run: (invocation) => runOperation(operation, invocation),
});

const descriptionOf = ({ description, scope, method, path }: CatalogOperation): string =>
  [description, `Needs the scope ${scope}. It is ${method} /api/v1${path} of the API.`]
    .filter(Boolean)
    .join(' ');

const argumentsOf = ({ path, upload }: CatalogOperation): ArgumentSpec[] => [
  ...pathParams(path).map(({ resource }) => ({
    name: resource,
    description: argumentTexts[resource] ?? `id of the ${resource.replaceAll('-', ' ')}`,
  })),
  ...(upload ? [{ name: 'file', description: 'path of the file' }] : []),
];

const argumentTexts: Record<string, string> = {
  server: 'name or id of the server',
  backup: 'id of the backup, or: latest (the newest completed one), good (the last good one)',
};

/** Where a field was typed, to say what is wrong with it. */
const placeOfField = (operation: CatalogOperation, name: string): string => {
  const param = pathParams(operation.path).find((entry) => entry.param === name);
  if (param) return `<${param.resource}>`;
  if (name === operation.upload?.field) return '<file>';
  return flagsOf(operation).find(({ field }) => field.name === name)?.flag ?? name;
};

const operationOptions = (operation: CatalogOperation): OptionSpec[] => {
  const options = flagsOf(operation).flatMap(optionsOf);
  if (operation.isPaginated) options.push({ flags: '--all', description: 'every page' });
  if (operation.body && !operation.upload) {
    options.push({
      flags: '--body <file>',
      description: 'the fields as JSON from a file, or from standard input by -; flags win over it',
    });
  }
  if (operation.startsJob) {
    options.push({
      flags: '--wait',
      description: `wait until the ${operation.startsJob} has ended`,
    });
  }
  if (operation.isDestructive) options.push(yesOption);
  if (!operation.isReadOnly) options.push(dryRunOption);
  return options;
};

const examplesOf = (operation: CatalogOperation): Example[] => {
  const words = [
    'holdfast',
    ...operation.command,
    ...pathParams(operation.path).map(sampleArgument),
  ];
  if (operation.upload) words.push('picture.png');
  const flags = flagsOf(operation);
  const isAnyNeeded = operation.body !== undefined && !operation.isBodyOptional;
  const required = flags.filter(({ field }) => field.isRequired);
  const shown = required.length > 0 || !isAnyNeeded ? required : flags.slice(0, 1);
  const line = [...words, ...shown.flatMap(sampleFlag)].join(' ');
  const examples = [{ does: operation.summary, line }];
  const fields = outputFieldsOf(operation);
  if (operation.isReadOnly && fields.includes('id')) {
    const chosen = ['id', ...fields.filter((field) => /^(name|status)$/.test(field))].join(',');
    examples.push({ does: 'As JSON, with these fields', line: `${line} --json ${chosen}` });
  }
  return examples;
};

const sampleArgument = ({ resource }: { resource: string }): string => {
  if (resource === 'server') return 'Harbour';
  return resource === 'backup' ? 'latest' : `<${resource}>`;
};

const sampleFlag = ({ field, flag }: FieldFlag): string[] => {
  const core = coreOf(field.schema);
  if (core.type === 'boolean') return [flag];
  const sample = core.example ?? field.schema.example ?? core.enum?.[0] ?? core.items?.enum?.[0];
  const text = typeof sample === 'object' ? JSON.stringify(sample) : String(sample ?? '…');
  return [flag, /^[\w.:/-]+$/.test(text) ? text : `'${text}'`];
};
