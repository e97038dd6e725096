import { Stack, Text } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { CopyField } from '../../components/copy-field.tsx';
import { RunningJob } from '../../components/job-progress.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Empty, PageHead, Section, TextLink } from '../../components/page.tsx';
import { formatCount, formatRatio, plural } from '../../labels/format.ts';
import { isRunning } from '../../labels/status.ts';
import { verifyLink } from '../../labels/verify-link.ts';
import type { LostMembers, PullRecord } from '../../queries/records.ts';
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
        description="Members who agreed to it can be added back to this server, or to another one of yours."
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
      {(missing) => (
        <>
          <Section
            title={missingTitle(missing, _count.pullableMembers)}
            note={missingNote(missing, _count.pullableMembers)}
            padding="md"
          >
            <PullForm key={id} pulls={pulls} isAnybodyMissing={missing.pullable > 0} />
          </Section>
          {missing.total > missing.pullable && <NotAgreed serverId={id} {...missing} />}
        </>
      )}
    </Loaded>
  );
};

type Missing = Pick<LostMembers, 'total' | 'pullable'>;

const missingTitle = ({ total, pullable }: Missing, agreed: number): string => {
  if (pullable > 0) return `${plural(total, 'verified member is', 'verified members are')} missing`;
  return agreed === 1
    ? 'The one who agreed is here'
    : `All ${formatCount(agreed)} who agreed are here`;
};

const missingNote = ({ total, pullable }: Missing, agreed: number): string => {
  if (pullable === 0)
    return 'If one of them leaves, or the server is lost, you bring them back here.';
  const all = `${plural(agreed, 'member')} agreed`;
  const some = total === 1 ? 'They' : `${formatCount(pullable)} of them`;
  return `${some} agreed and can be brought back. In all, ${all}, to this server or to another one of yours. Those who are there already stay as they are.`;
};

/** Whom no pull reaches: they have to come themselves. */
const NotAgreed = ({ serverId, total, pullable }: Missing & { serverId: string }) => {
  const count = total - pullable;
  return (
    <Section
      title={`${plural(count, 'missing member', 'missing members')} did not agree`}
      note={`Only ${count === 1 ? 'this member' : 'they themselves'} can decide to return. Send the verify link, or an invite to the server.`}
      padding="md"
    >
      <Stack gap="sm">
        <CopyField label="Verify link" value={verifyLink(serverId)} />
        <Text size="sm">
          <TextLink to={`/servers/${serverId}/members?pullable=no`}>
            Members who cannot be brought back
          </TextLink>
        </Text>
      </Stack>
    </Section>
  );
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
