import type { Input } from '@holdfast/sdk';
import { catalog, fieldsOf } from '@holdfast/sdk/catalog';
import { z } from 'zod';

/** Fields that several tools take. */
export const id = z.uuid();

type Component = NonNullable<NonNullable<Input<'createBackup'>['body']>['components']>[number];

/** The names of the parts of a guild, as the contract lists them. */
const componentNames = z
  .array(z.custom<Component>((name) => typeof name === 'string'))
  .parse(
    fieldsOf(catalog.find(({ name }) => name === 'createBackup')?.body).find(
      ({ name }) => name === 'components',
    )?.schema.items?.enum,
  );

export const components = z.array(z.enum(componentNames)).min(1);
