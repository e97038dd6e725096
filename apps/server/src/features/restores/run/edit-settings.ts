import { PlatformFailure } from '../../../platform/failures.ts';
import type { GuildPlatform, Image, SettingsChanges } from '../../../platform/port.ts';
import { type StoredImage, settingsPictures } from '../../backups/snapshot/snapshot.ts';
import { type ActionOf, channelSettings } from '../plan/action.ts';
import { type IdMap, resolveRef } from '../plan/id-map.ts';
import { type RefusedField, refusalOf, type StepFailure } from './step-failure.ts';

type SettingsContext = {
  guild: Pick<GuildPlatform, 'editSettings'>;
  map: IdMap;
  loadImage: (image: NonNullable<StoredImage>) => Promise<Image>;
};

/** The platform's code for a field that it does not accept. */
const invalidForm = 50035;

/**
 * Sets all in one call. Fields that the platform refuses do not lose the others: they are left out, or,
 * where it does not name them, all are tried one by one.
 */
export const editSettings = async (
  context: SettingsContext,
  action: ActionOf<'editSettings'>,
): Promise<{ failure?: StepFailure }> => {
  const refused: RefusedField[] = [];
  let changes = await settingsChanges(context, action);
  for (;;) {
    const failure = await tryToSet(context, changes);
    if (!failure) break;
    const names = failure.fields.filter((field) => field in changes);
    if (names.length === 0) {
      refused.push(...(await setOneByOne(context, changes, failure)));
      break;
    }
    refused.push(...names.map((field) => ({ field, refusal: refusalOf(failure) })));
    changes = without(changes, names);
    if (Object.keys(changes).length === 0) throw failure;
  }
  return refused.length === 0 ? {} : { failure: { code: 'fieldsRefused', fields: refused } };
};

/** The refusal of a field; other failures are thrown. */
const tryToSet = async (
  { guild }: SettingsContext,
  changes: SettingsChanges,
): Promise<PlatformFailure | undefined> => {
  try {
    await guild.editSettings(changes);
    return undefined;
  } catch (error) {
    if (error instanceof PlatformFailure && error.code === invalidForm) return error;
    throw error;
  }
};

const setOneByOne = async (
  context: SettingsContext,
  changes: SettingsChanges,
  whole: PlatformFailure,
): Promise<RefusedField[]> => {
  const fields = Object.keys(changes);
  const refused: RefusedField[] = [];
  for (const field of fields.length > 1 ? fields : []) {
    const others = fields.filter((other) => other !== field);
    const failure = await tryToSet(context, without(changes, others));
    if (failure) refused.push({ field, refusal: refusalOf(failure) });
  }
  if (fields.length < 2 || refused.length === fields.length) throw whole;
  return refused;
};

const without = (changes: SettingsChanges, fields: readonly string[]): SettingsChanges =>
  Object.fromEntries(Object.entries(changes).filter(([field]) => !fields.includes(field)));

const settingsChanges = async (
  { map, loadImage }: SettingsContext,
  { changes, channels, pictures }: ActionOf<'editSettings'>,
): Promise<SettingsChanges> => {
  const all: SettingsChanges = { ...changes };
  for (const setting of channelSettings) {
    const ref = channels[setting];
    // Where a channel could not be created the setting stays as it is, and so does the old channel.
    const id = ref ? resolveRef(map.channels, ref) : ref;
    if (id !== undefined) all[setting] = id;
  }
  for (const picture of settingsPictures) {
    const stored = pictures[picture];
    if (stored !== undefined) all[picture] = stored && (await loadImage(stored));
  }
  return all;
};
