import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { Moment } from '../../components/display.tsx';
import { Section } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { plural } from '../../labels/format.ts';
import type { PullRecord, Recall } from '../../queries/records.ts';

/** An invite for the members whose permission is no longer valid. */
export const RecallPanel = ({ pull: { id, results } }: { pull: PullRecord }) => {
  const [recall, setRecall] = useState<Recall>();
  const show = useAction(() => api.recallPull({ params: { id } }), { onSuccess: setRecall });
  if (results.tokenInvalid === 0) return null;
  return (
    <Section
      title={`Call back ${plural(results.tokenInvalid, 'member')} by an invite`}
      note="Their permission is no longer valid, so only they themselves can come back. The invite can be used by nobody else, gives the verified role, and is shown to each of them on their own page. Nobody gets a message."
      padding="md"
    >
      {recall ? (
        <Stack gap="xs">
          <CopyField label="Invite" value={recall.url} />
          <Text size="sm" c="dimmed">
            For {plural(recall.members, 'member')}, until <Moment at={recall.expiresAt} isExact />.
          </Text>
        </Stack>
      ) : (
        <Button variant="default" loading={show.isPending} onClick={() => show.mutate()}>
          Show the invite
        </Button>
      )}
    </Section>
  );
};
