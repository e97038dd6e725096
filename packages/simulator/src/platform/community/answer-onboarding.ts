import { z } from 'zod';
import { announce, byUser } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { withBody } from '../control/guard.ts';
import type { Platform, PlatformApp } from '../platform.ts';
import { snowflake } from '../snowflakes.ts';

const answerSchema = z.strictObject({
  userId: snowflake,
  optionIds: z.array(snowflake).min(1).max(750),
});

/**
 * Part of the control API: a member answers the questions of the onboarding in their own client. What the
 * answers give they give themselves, as the audit log has it, whatever they may do.
 */
export const mountAnswerControl = (app: PlatformApp, platform: Platform) => {
  app.post('/__sim/guilds/:id/onboarding/answers', (c) =>
    withBody(answerSchema, ({ userId, optionIds }) => {
      const guild = platform.world.findGuild(c.req.param('id'));
      const member = guild?.members.get(userId);
      if (!guild?.onboarding.enabled || !member) {
        return c.json({ message: 'No such member, or no onboarding.' }, 404);
      }
      const options = guild.onboarding.prompts.flatMap((prompt) => prompt.options);
      const chosen = options.filter(({ id }) => optionIds.includes(id));
      if (chosen.length < optionIds.length) return c.json({ message: 'No such option.' }, 400);
      const watched = watch(guild, ['members', userId]);
      const given = chosen.flatMap(({ role_ids }) => role_ids);
      member.roles = [...new Set([...member.roles, ...given])];
      announce(platform, byUser(c, userId), watched);
      platform.world.reportChange();
      return c.json({ roles: member.roles });
    })(c),
  );
};
