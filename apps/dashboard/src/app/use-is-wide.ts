import { useSyncExternalStore } from 'react';

/** As in `frame.css`: the navigation is beside the page from this width on. */
const wideWindow = matchMedia('(min-width: 62em)');

const subscribe = (listener: () => void): (() => void) => {
  wideWindow.addEventListener('change', listener);
  return () => wideWindow.removeEventListener('change', listener);
};

export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => wideWindow.matches);
