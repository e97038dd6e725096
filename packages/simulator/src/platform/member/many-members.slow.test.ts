// Runs alone: it is about time, memory or the machine.
import { expect, test } from 'bun:test';
import { type APIGuildMember, Routes } from 'discord.js';
import { answerOf, botToken, freshId, startTestSimulator } from '../../../test/harness.ts';

test('a hundred thousand members are listed in pages, each once and in order', async () => {
  const simulator = await startTestSimulator();
  const rest = simulator.rest(botToken('900000000000000002'));
  const guildId = freshId();
  const members = Array.from({ length: 100_000 }, () => ({ user: { id: freshId() } }));
  await simulator.control('PUT', `/guilds/${guildId}`, { members });
  const seen: string[] = [];
  for (let after = '0'; ; after = seen.at(-1) ?? '0') {
    const query = new URLSearchParams({ limit: '1000', after });
    const page = await answerOf<APIGuildMember[]>(
      rest.get(Routes.guildMembers(guildId), { query }),
    );
    seen.push(...page.map(({ user }) => user.id));
    if (page.length < 1000) break;
  }
  // The bot itself has joined.
  expect(new Set(seen).size).toBe(100_001);
  await simulator.stop();
});
