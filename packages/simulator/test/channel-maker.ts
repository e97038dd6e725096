/** Waits for a line, makes one channel, says so and stays: a process for faults to kill. */
const [api, guildId] = process.argv.slice(2);
await Bun.stdin.stream().getReader().read();
await fetch(`${api}/v10/guilds/${guildId}/channels`, {
  method: 'POST',
  headers: { Authorization: 'Bot maker', 'Content-Type': 'application/json' },
  body: JSON.stringify({ name: 'made' }),
});
process.stdout.write('answered\n');
await Bun.sleep(10_000);

export {};
