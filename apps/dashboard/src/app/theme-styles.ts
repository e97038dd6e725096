import { MantineProvider } from '@mantine/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { colorVariables, theme } from './theme.ts';

/** What the library would write into the page while it runs: variables, and classes for widths of the window. */
export const themeStyles = (): string => {
  const provider = createElement(MantineProvider, { theme, cssVariablesResolver: colorVariables });
  return [...renderToStaticMarkup(provider).matchAll(/<style[^>]*>(.*?)<\/style>/gs)]
    .map(([, styles]) => styles)
    .join('\n');
};
