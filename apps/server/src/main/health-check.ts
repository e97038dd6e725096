/**
 * Ends with 0 if the service of this machine answers. Containers run it as their health check: an image
 * without curl needs no other program for that.
 */
const { PORT = '3000', HOST = '0.0.0.0' } = process.env;
const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST;
const url = `http://${host.includes(':') ? `[${host}]` : host}:${PORT}/healthz`;

fetch(url, { signal: AbortSignal.timeout(4000) }).then(
  ({ ok }) => process.exit(ok ? 0 : 1),
  () => process.exit(1),
);
