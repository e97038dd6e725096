import { Button, Stack } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { RunningJob } from '../../components/job-progress.tsx';
import { Loaded } from '../../components/list.tsx';
import { Empty, PageHead, Section } from '../../components/page.tsx';
import { formatCount, formatRatio, plural } from '../../labels/format.ts';
import { isRunning } from '../../labels/status.ts';
import type { PullRecord } from '../../queries/records.ts';
import { pullsQuery } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { PullForm } from './pull-form.tsx';
import { PullList } from './pull-list.tsx';

export const Pulls = () => {
  const { id } = useServer();
  const newest = useQuery(pullsQuery(id, 1));
  return (
    <>
      <PageHead
        title="Bring members back"
        description="Adds the members who agreed to it to this server, or to another one of yours."
      />
      <Stack gap="lg">
        <Loaded query={newest} height={280}>
          {({ data }) => {
            const running = data.find(isRunning);
            return running ? <RunningPull pull={running} /> : <StartPull pulls={data} />;
          }}
        </Loaded>
        <PullList />
      </Stack>
    </>
  );
};

const RunningPull = ({ pull }: { pull: PullRecord }) => (
  <RunningJob
    title="A pull is running"
    icon={<IconUsersPlus aria-hidden />}
    kind="pull"
    progress={pull.progress}
    to={`/servers/${pull.serverId}/pulls/${pull.id}`}
  >
    {formatRatio(pull.processed, pull.total)} members were tried. The next pull of this server can
    be started when this one has ended.
  </RunningJob>
);

/** The members who can be brought back, and the form; the newest pulls decide about the cooldown. */
const StartPull = ({ pulls }: { pulls: PullRecord[] }) => {
  const { id, _count } = useServer();
  const { pullableMembers, members } = _count;
  if (pullableMembers === 0) return <NoPullableMembers />;
  return (
    <Section
      title={`${plural(pullableMembers, 'member')} can be brought back`}
      note={`Of ${formatCount(members)} who verified. They agreed to it, their permission is valid, and they are not on your blacklist.`}
      padding="md"
    >
      <PullForm key={id} pulls={pulls} />
    </Section>
  );
};

const NoPullableMembers = () => {
  const { id } = useServer();
  return (
    <Empty
      icon={IconUsersPlus}
      title="Nobody can be brought back yet"
      action={
        <Button component={Link} to={`/servers/${id}/settings`}>
          Find the verification link
        </Button>
      }
    >
      Members can be brought back after they verified and agreed to it. Give them the verification
      link; those who agree are counted here.
    </Empty>
  );
};
