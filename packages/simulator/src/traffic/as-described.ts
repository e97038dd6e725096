/**
 * Where the platform's documentation, and the platform itself, differ from its description: values in
 * these places are brought to the described form before they are checked.
 */
export const asDescribed = (value: unknown, of: 'request' | 'answer'): unknown => {
  if (Array.isArray(value)) return value.map((item) => asDescribed(item, of));
  if (typeof value !== 'object' || value === null) return value;
  const rename = of === 'request' ? inRequests : inAnswers;
  const entries = Object.entries(value).map(([name, field]) => {
    const described = rename(name, field, value);
    return [name, described === undefined ? asDescribed(field, of) : described];
  });
  return Object.fromEntries(entries);
};

const MEDIA = 16;
const FORUM = 15;

/** The description has no media channels; they are forums otherwise. */
const channelType = (name: string, field: unknown, owner: object): unknown =>
  name === 'type' && field === MEDIA && 'name' in owner ? FORUM : undefined;

/** Permissions are documented as text, for they outgrow numbers; files are counted by number. */
const inRequests = (name: string, field: unknown, owner: object): unknown => {
  const isBits = ['permissions', 'allow', 'deny'].includes(name) && /^\d+$/.test(String(field));
  if (isBits) return Number(field);
  if (name === 'attachments' && Array.isArray(field)) {
    return field.map((file) => ({ ...file, id: String(file.id) }));
  }
  return channelType(name, field, owner);
};

/** Documented, but left out of the description. */
const UNDESCRIBED_FEATURES = ['ENHANCED_ROLE_COLORS'];

const inAnswers = (name: string, field: unknown, owner: object): unknown => {
  if (name === 'features' && Array.isArray(field)) {
    return field.filter((feature) => !UNDESCRIBED_FEATURES.includes(feature));
  }
  // The code of a field's error is a word.
  if (name === '_errors' && Array.isArray(field)) {
    return field.map((error) => ({ ...error, code: 0 }));
  }
  return channelType(name, field, owner);
};
