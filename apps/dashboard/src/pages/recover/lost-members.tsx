import { Button, Group, Stack, Text } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Note, Section, TextLink } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatDuration, plural } from '../../labels/format.ts';
import type { LostMembers as Lost, PullRecord } from '../../queries/records.ts';
import { lostMembersQuery, pullPreviewQuery } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { CooldownNote } from '../pulls/cooldown-note.tsx';
import { GiveBackChoice } from '../pulls/give-back-choice.tsx';
import { useStartPull, useWaitUntil } from '../pulls/use-start-pull.ts';

type LostMembersProps = { since: string; pulls: PullRecord[] };

/** Who is gone since the backup was made, and the button that brings them back. */
export const LostMembers = ({ since, pulls }: LostMembersProps) => {
  const { id } = useServer();
  const query = useQuery(lostMembersQuery(id, since));
  return (
    <Loaded query={query} height={120}>
      {(lost) => {
        if (lost.total === 0) return <NobodyLost />;
        return lost.pullable === 0 ? <NonePullable lost={lost} /> : <Bring {...{ lost, pulls }} />;
      }}
    </Loaded>
  );
};

const NobodyLost = () => (
  <Note tone="success" title="Nobody was lost">
    No verified member has left since the backup was made.
  </Note>
);

const NonePullable = ({ lost }: { lost: Lost }) => {
  const { id } = useServer();
  return (
    <Note
      tone="warning"
      title={`${plural(lost.total, 'verified member is', 'verified members are')} gone`}
    >
      None of them can be brought back: they did not agree to it, or have withdrawn it. Send them an
      invite, or the verify link of the{' '}
      <TextLink to={`/servers/${id}`} c="inherit">
        server
      </TextLink>
      .
    </Note>
  );
};

type BringProps = { lost: Lost; pulls: PullRecord[] };

const Bring = ({ lost, pulls }: BringProps) => {
  const { id } = useServer();
  const preview = useQuery(pullPreviewQuery(id, id));
  const [choice, setChoice] = useState({ restoreRoles: true, allowDangerousRoles: [] as string[] });
  const { start, refusedUntil } = useStartPull(id);
  const waitUntil = useWaitUntil(pulls, refusedUntil);
  const { pullable, total, memberIds } = lost;
  const bring = useAction(() => start({ ...choice, memberIds: memberIds ?? undefined }), {
    onError: () => undefined,
  });
  const seconds = preview.data && Math.ceil(pullable * preview.data.secondsPerMember);
  return (
    <Section
      title={`${plural(pullable, 'member')} can be brought back`}
      note={`${plural(total, 'verified member is', 'verified members are')} not in the server. Those who agreed to it are added again; nobody gets a message.`}
      padding="md"
    >
      <Stack gap="md">
        <GiveBackChoice
          serverId={id}
          preview={preview}
          choice={choice}
          onChange={(changes) => setChoice((before) => ({ ...before, ...changes }))}
        />
        {waitUntil !== undefined && <CooldownNote until={waitUntil} />}
        {bring.error && <ErrorNote error={bring.error} title="The pull did not start" />}
        <Group>
          <Button
            size="md"
            leftSection={<IconUsersPlus size={18} aria-hidden />}
            disabled={waitUntil !== undefined}
            loading={bring.isPending}
            onClick={() => bring.mutate()}
          >
            Bring {plural(pullable, 'member')} back
          </Button>
          {seconds !== undefined && (
            <Text size="sm" c="dimmed">
              About {formatDuration(seconds)}
            </Text>
          )}
        </Group>
      </Stack>
    </Section>
  );
};
