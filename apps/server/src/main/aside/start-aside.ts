import { type Aside, createAside } from '../../kernel/aside.ts';

/** Its worker is a thread of this process, started when there is something large to do. */
export const startAside = (patience?: number): Aside =>
  createAside(new URL('./worker.ts', import.meta.url), patience);
