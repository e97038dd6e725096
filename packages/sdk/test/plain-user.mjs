// Uses each part of the built package once and prints the results as JSON.
import { createHoldfast, HoldfastError, HoldfastNetworkError } from '@holdfast/sdk';

const told = [];
const holdfast = createHoldfast({
  baseUrl: process.env.HOLDFAST_URL,
  key: process.env.HOLDFAST_API_KEY,
  onResponse: (response) => told.push(response),
});

const newId = () => String(10n ** 17n + BigInt(Math.floor(Math.random() * 1e15)));

const bot = await holdfast.createBot({
  body: {
    botToken: 'a.token',
    clientId: newId(),
    clientSecret: 'secret',
    publicKey: 'a'.repeat(64),
    redirectUri: 'https://example.com/callback',
    name: 'Gatekeeper',
  },
});
const server = await holdfast.createServer({
  body: { platformGuildId: newId(), customBotId: bot.id, name: 'Hafen – 港' },
});
const { data, pagination } = await holdfast.listServers();

const params = { id: server.id };
const added = [];
for (let count = 0; count < 5; count++) {
  added.unshift(await holdfast.createBlacklistEntry({ params, body: { platformId: newId() } }));
}
const listed = [];
for await (const entry of holdfast.listBlacklist.all({ query: { limit: 2 } })) listed.push(entry);

const rejection = (promise) => promise.then(() => undefined).catch((error) => error);
const invalid = await rejection(holdfast.getServer({ params: { id: 'x' } }));
const offline = createHoldfast({ baseUrl: 'http://127.0.0.1:9', retries: 1 });
const unreachable = await rejection(offline.getAccount());
const aborted = await rejection(holdfast.getAccount({ signal: AbortSignal.abort('enough') }));

const { catalog } = await import('@holdfast/sdk/catalog');

const result = {
  names: data.map(({ name }) => name),
  total: pagination.total,
  isListedWhole: JSON.stringify(listed) === JSON.stringify(added),
  invalid: invalid instanceof HoldfastError && invalid.is('invalidInput') && invalid.details,
  isUnreachable: unreachable instanceof HoldfastNetworkError && !unreachable.isTimeout,
  aborted,
  hasRequestId: told.every(({ requestId }) => /^[0-9a-f-]{36}$/.test(requestId)),
  isLeftToAsk: told.every(({ rateLimit }) => rateLimit.remaining < rateLimit.limit),
  operations: catalog.every(({ name }) => typeof holdfast[name] === 'function'),
};
process.stdout.write(JSON.stringify(result));
