import { catalog } from '@holdfast/sdk/catalog';
import type { CommandSpec } from '../command.ts';
import { describeOperation } from './describe-operation.ts';

/** A command for each operation of the API, in the catalog's order. */
export const operationCommands = (): CommandSpec[] => catalog.map(describeOperation);
