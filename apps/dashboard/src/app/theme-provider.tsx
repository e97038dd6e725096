import {
  localStorageColorSchemeManager,
  MantineContext,
  MantineThemeProvider,
  useProviderColorScheme,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { theme } from './theme.ts';

const manager = localStorageColorSchemeManager();
const getRootElement = () => document.documentElement;

/** The content security policy allows only style elements with this nonce. */
const getStyleNonce = (): string =>
  document.querySelector<HTMLStyleElement>('style[nonce]')?.nonce ?? '';

// The library's styles do without motion where the person wants none.
getRootElement().dataset.respectReducedMotion = 'true';
// The scroll lock of dialogs creates a style element and looks for the nonce under this name.
Object.assign(globalThis, { __webpack_nonce__: getStyleNonce() });

/**
 * Does what `MantineProvider` does, but for the styles of the theme: to compute them takes a phone longer than
 * anything else at the start, so the build writes them into the stylesheet (`theme-styles.ts`).
 */
export const ThemeProvider = ({ children }: { children: ReactNode }) => {
  const scheme = useProviderColorScheme({
    ...{ manager, getRootElement },
    ...{ defaultColorScheme: 'auto', forceColorScheme: undefined },
  });
  const context = {
    ...scheme,
    getRootElement,
    getStyleNonce,
    classNamesPrefix: 'mantine',
    cssVariablesSelector: ':root',
    withStaticClasses: true,
    deduplicateInlineStyles: false,
  };
  return (
    <MantineContext value={context}>
      <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
    </MantineContext>
  );
};
