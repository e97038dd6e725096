import { AutoModerationRuleTriggerType } from 'discord-api-types/v10';
import type { z } from 'zod';
import type { AutomodRule } from '../guild-parts.ts';
import type { AutomodRuleInput } from '../parts-port.ts';
import type { automodRule } from '../shapes/parts.ts';

export const automodRuleOf = (rule: z.output<typeof automodRule>): AutomodRule => ({
  id: rule.id,
  name: rule.name,
  eventType: rule.event_type,
  triggerType: rule.trigger_type,
  keywords: rule.trigger_metadata?.keyword_filter ?? [],
  patterns: rule.trigger_metadata?.regex_patterns ?? [],
  presets: rule.trigger_metadata?.presets ?? [],
  allowedWords: rule.trigger_metadata?.allow_list ?? [],
  mentionLimit: rule.trigger_metadata?.mention_total_limit ?? null,
  isRaidProtectionEnabled: rule.trigger_metadata?.mention_raid_protection_enabled ?? null,
  actions: rule.actions.map(({ type, metadata }) => ({
    type,
    channelId: metadata?.channel_id ?? null,
    durationSeconds: metadata?.duration_seconds ?? null,
    customMessage: metadata?.custom_message ?? null,
  })),
  isEnabled: rule.enabled,
  exemptRoleIds: rule.exempt_roles,
  exemptChannelIds: rule.exempt_channels,
});

export const automodRuleBodyOf = (rule: AutomodRuleInput) => ({
  name: rule.name,
  event_type: rule.eventType,
  trigger_metadata: triggerBodyOf(rule),
  actions: rule.actions.map(({ type, channelId, durationSeconds, customMessage }) => ({
    type,
    metadata: {
      ...(channelId === null ? {} : { channel_id: channelId }),
      ...(durationSeconds === null ? {} : { duration_seconds: durationSeconds }),
      ...(customMessage === null ? {} : { custom_message: customMessage }),
    },
  })),
  enabled: rule.isEnabled,
  exempt_roles: rule.exemptRoleIds,
  exempt_channels: rule.exemptChannelIds,
});

/** Each kind of trigger has its own fields. */
const triggerBodyOf = (rule: AutomodRuleInput) => {
  switch (rule.triggerType) {
    case AutoModerationRuleTriggerType.Keyword:
    case AutoModerationRuleTriggerType.MemberProfile:
      return {
        keyword_filter: rule.keywords,
        regex_patterns: rule.patterns,
        allow_list: rule.allowedWords,
      };
    case AutoModerationRuleTriggerType.KeywordPreset:
      return { presets: rule.presets, allow_list: rule.allowedWords };
    case AutoModerationRuleTriggerType.MentionSpam:
      return {
        mention_total_limit: rule.mentionLimit ?? undefined,
        mention_raid_protection_enabled: rule.isRaidProtectionEnabled ?? undefined,
      };
    default:
      return {};
  }
};
