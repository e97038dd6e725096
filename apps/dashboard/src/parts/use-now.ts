import { useEffect, useState } from 'react';

/** The present moment in milliseconds, read anew every second while somebody waits for something. */
export const useNow = (isTicking: boolean): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, [isTicking]);
  return now;
};
