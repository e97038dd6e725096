import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const pauseMs = 300;

/**
 * Acts on what was typed once typing has paused; not after the reader has gone on to another page, of which
 * the old one stays in place until it is loaded.
 */
export const useOncePaused = (act: (typed: string) => void) => {
  const [path] = useState(location.pathname);
  return useDebouncedCallback((typed: string) => {
    if (location.pathname === path) act(typed);
  }, pauseMs);
};
