import { Group, Stack, Text } from '@mantine/core';
import { Moment, StatusBadge } from '../../../components/display.tsx';
import { RecordTable } from '../../../components/list.tsx';
import { Section, TextLink } from '../../../components/page.tsx';
import { blockReasonLabels } from '../../../labels/rules.ts';
import type { MemberHistory } from '../../../queries/records.ts';

/** What the owner decided about them: the blacklist and their appeals. Nothing where there is neither. */
export const PersonStanding = ({ history }: { history: MemberHistory }) => {
  const { isBlacklisted, appeals } = history;
  if (!isBlacklisted && appeals.length === 0) return null;
  return (
    <Section title={isBlacklisted ? 'On your blacklist' : 'Appeals'} padding="md">
      <Stack gap="sm">
        {isBlacklisted && (
          <Group justify="space-between" gap="xs">
            <Text size="sm" flex={1} miw={220}>
              They cannot verify on any of your servers, and no pull brings them back.
            </Text>
            <Text size="sm">
              <TextLink to="/blacklist">Open the blacklist</TextLink>
            </Text>
          </Group>
        )}
        {appeals.length > 0 && (
          <RecordTable
            caption="Appeals, newest first"
            rows={appeals}
            columns={[
              { header: 'Appealed', cell: ({ createdAt }) => <Moment at={createdAt} /> },
              { header: 'Blocked for', cell: ({ reason }) => blockReasonLabels[reason].label },
              { header: 'Decision', cell: ({ status }) => <StatusBadge status={status} /> },
            ]}
          />
        )}
      </Stack>
    </Section>
  );
};
