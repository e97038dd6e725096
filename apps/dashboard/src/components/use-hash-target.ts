import { useEffect } from 'react';
import { useLocation } from 'react-router';

/** Leads to the part of a page that the address names: scrolled to, and focused for screen readers. */
export const useHashTarget = (): void => {
  const { hash, key } = useLocation();
  // By its key, following the same link again leads there again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is not read.
  useEffect(() => {
    const target = hash === '' ? null : document.getElementById(hash.slice(1));
    target?.scrollIntoView();
    target?.focus({ preventScroll: true });
  }, [hash, key]);
};
