import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type BuiltFile = { name: string; type: string; text: string };

/**
 * One stylesheet for all pages, because lazily loaded pages do not load their own. The entry's comes first.
 * `inputs` are all files that the scripts were made of.
 */
export const joinStyles = async (styles: BuiltFile[], inputs: string[]): Promise<BuiltFile> => {
  // Loaded here, because the service itself has no use for React.
  const { themeStyles } = await import('./src/app/theme-styles.ts');
  const isFirst = ({ name }: BuiltFile) => name.startsWith('main-');
  const named = styles.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const ordered = [...named.filter(isFirst), ...named.filter((style) => !isFirst(style))];
  const own = ordered.map(({ text }) => text);
  const text = [coreStyles(inputs), ...otherStyles(), themeStyles(), ...own].join('\n');
  return { name: `style-${Bun.hash(text).toString(36)}.css`, type: 'text/css', text };
};

/**
 * Styles of the library are taken as they are: the bundler writes their logical properties out for every
 * language there is, which makes them half as large again and slower to apply.
 */
const read = (path: string): string => readFileSync(path, 'utf8');
const libraryPath = (path: string): string => Bun.resolveSync(`@mantine/${path}`, import.meta.dir);

const otherStyles = (): string[] =>
  ['charts', 'notifications', 'spotlight'].map((part) => read(libraryPath(`${part}/styles.css`)));

/** What every page needs, whatever components it has. */
const basis = ['baseline', 'default-css-variables', 'global'];

/** The styles of the components that are used, in the order that the library gives them. */
const coreStyles = (inputs: string[]): string => {
  const whole = libraryPath('core/styles.css');
  const classNames = /@mantine\/core\/.*\/(\w+)\.module\.mjs$/;
  const used = inputs.flatMap((input) => classNames.exec(input)?.[1] ?? []);
  const order = read(whole);
  return [...basis, ...used]
    .map((name) => join(dirname(whole), 'styles', `${name}.css`))
    .filter(existsSync)
    .map(read)
    .toSorted((one, other) => order.indexOf(one.trim()) - order.indexOf(other.trim()))
    .join('\n');
};
