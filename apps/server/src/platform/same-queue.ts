import type { REST } from '@discordjs/rest';

/**
 * The library begins a second queue as soon as it learns a bucket's name: it knows nothing of what was
 * used up, while the first one still sends. So whoever queued first keeps the bucket.
 */
export const keepSameQueue = (rest: REST, method: string, path: string, bucket: string | null) => {
  const route = `${method}:${path.replace(/\d{17,19}/g, ':id')}`;
  if (bucket === null || rest.hashes.get(route)?.value === bucket) return;
  const nameless = `Global(${route}):`;
  for (const [key, queue] of rest.handlers) {
    if (!key.startsWith(nameless)) continue;
    const named = `${bucket}:${key.slice(nameless.length)}`;
    if (!rest.handlers.has(named)) rest.handlers.set(named, queue);
  }
};
