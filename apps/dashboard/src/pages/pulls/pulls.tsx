import { Stack } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { CopyField } from '../../components/copy-field.tsx';
import { RunningJob } from '../../components/job-progress.tsx';
import { Loaded } from '../../components/list.tsx';
import { Empty, PageHead, Section } from '../../components/page.tsx';
import { formatCount, formatRatio, plural } from '../../labels/format.ts';
import { isRunning } from '../../labels/status.ts';
import { verifyLink } from '../../labels/verify-link.ts';
import type { PullRecord } from '../../queries/records.ts';
import { lostMembersQuery, pullsQuery } from '../../queries/recovery.ts';
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

/** Who is missing, and the form; the newest pulls decide about the cooldown. */
const StartPull = ({ pulls }: { pulls: PullRecord[] }) => {
  const { id, createdAt, _count } = useServer();
  const lost = useQuery(lostMembersQuery(id, createdAt));
  if (_count.pullableMembers === 0) return <NoPullableMembers />;
  return (
    <Loaded query={lost} height={280}>
      {({ total, pullable }) => (
        <Section
          title={
            total === 0
              ? 'Nobody is missing'
              : `${plural(total, 'verified member is', 'verified members are')} missing`
          }
          note={`${missingNote(total, pullable)}${plural(_count.pullableMembers, 'member')} agreed and ${total === 0 ? 'could' : 'can'} be brought back, to this server or to another one of yours. Those who are there already stay as they are.`}
          padding="md"
        >
          <PullForm key={id} pulls={pulls} />
        </Section>
      )}
    </Loaded>
  );
};

const missingNote = (total: number, pullable: number): string => {
  if (total === 0) return '';
  if (pullable === 0) {
    const nobody = total === 1 ? 'They did not agree' : 'None of them agreed';
    return `${nobody} to be brought back: only an invite reaches them. `;
  }
  const some = total === 1 ? 'They agreed' : `${formatCount(pullable)} of them agreed`;
  return `${some} and can be brought back. In all, `;
};

const NoPullableMembers = () => {
  const { id } = useServer();
  return (
    <Empty
      icon={IconUsersPlus}
      title="Nobody can be brought back yet"
      action={<CopyField label="Verify link" value={verifyLink(id)} />}
    >
      Members can be brought back after they verified and agreed to it. Give them the verify link;
      those who agree are counted here.
    </Empty>
  );
};
