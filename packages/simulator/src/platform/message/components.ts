import { invalidField } from '../http/api-error.ts';

type Component = Record<string, unknown>;

const BUTTON = 2;
const LINK_STYLE = 5;
const PREMIUM_STYLE = 6;
const MAX_LABEL_LENGTH = 80;
const MAX_URL_LENGTH = 512;
const SCHEMES = ['http:', 'https:', 'discord:'];

/** Throws at the first button that the platform would refuse; other components are kept as they are. */
export const requireComponents = (components: Component[], path: string[] = []) => {
  for (const [index, component] of components.entries()) {
    const here = [...path, 'components', String(index)];
    if (component.type === BUTTON) requireButton(component, here);
    const { components: children } = component;
    if (Array.isArray(children)) requireComponents(children, here);
  }
};

const requireButton = ({ style, label, url, custom_id }: Component, path: string[]) => {
  const text = typeof label === 'string' ? label : '';
  if ([...text].length > MAX_LABEL_LENGTH) {
    const message = `Must be ${MAX_LABEL_LENGTH} or fewer in length.`;
    throw invalidField([...path, 'label'], 'BASE_TYPE_MAX_LENGTH', message);
  }
  if (style === LINK_STYLE) return requireLink(url, custom_id, path);
  if (style !== PREMIUM_STYLE && typeof custom_id !== 'string') {
    throw invalidField([...path, 'custom_id'], 'BASE_TYPE_REQUIRED', 'This field is required');
  }
};

const requireLink = (url: unknown, customId: unknown, path: string[]) => {
  const refuse = (code: string, message: string) => invalidField([...path, 'url'], code, message);
  if (typeof url !== 'string') throw refuse('BASE_TYPE_REQUIRED', 'This field is required');
  if (customId !== undefined) {
    const message = 'A custom id and url cannot both be specified';
    throw invalidField(path, 'COMPONENT_CUSTOM_ID_AND_URL', message);
  }
  if (url.length > MAX_URL_LENGTH) {
    throw refuse('BASE_TYPE_MAX_LENGTH', `Must be ${MAX_URL_LENGTH} or fewer in length.`);
  }
  const scheme = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (!scheme) throw refuse('URL_TYPE_INVALID_URL', 'Not a well formed URL.');
  if (SCHEMES.includes(scheme)) return;
  const message = `Scheme "${scheme.slice(0, -1)}" is not supported. Scheme must be one of ('http', 'https', 'discord').`;
  throw refuse('URL_TYPE_INVALID_SCHEME', message);
};
