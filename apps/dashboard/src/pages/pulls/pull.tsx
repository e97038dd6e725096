import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { api } from '../../api.ts';
import { ConfirmButton, StopButton } from '../../components/confirm.tsx';
import { Moment } from '../../components/display.tsx';
import { RecordPage } from '../../components/job-progress.tsx';
import { Note, PageHead } from '../../components/page.tsx';
import { WarningList } from '../../components/warning-list.tsx';
import { endSentence, formatDuration, plural } from '../../labels/format.ts';
import { isRunning } from '../../labels/status.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { PullRecord } from '../../queries/records.ts';
import { pullQuery } from '../../queries/recovery.ts';
import { PullFollowUp } from './pull-follow-up.tsx';
import { TargetName } from './pull-list.tsx';
import { PullProgress } from './pull-progress.tsx';
import { PullResults } from './pull-results.tsx';
import { PullVerdict } from './pull-verdict.tsx';
import { RecallPanel } from './recall-panel.tsx';

const running = 'Bringing members back';

/** Of a pull that is over. */
const titles: Partial<Record<PullRecord['status'], string>> = {
  completed: 'Brought members back',
  failed: 'Failed to bring members back',
  cancelled: 'Stopped bringing members back',
};

export const Pull = () => {
  const { pullId = '' } = useParams();
  const query = useQuery(pullQuery(pullId));
  return (
    <RecordPage
      query={query}
      title={running}
      list={{ path: 'pulls', label: 'Bring members back' }}
      path="pulls"
    >
      {(pull) => (
        <>
          <PageHead
            title={titles[pull.status] ?? running}
            description={
              <>
                Into <TargetName serverId={pull.targetServerId} />, started{' '}
                <Moment at={pull.createdAt} isExact />
                {pull.status === 'completed' && `, took ${tookOf(pull)}`}
              </>
            }
            actions={isRunning(pull) ? <StopPull pull={pull} /> : <ResumePull pull={pull} />}
          />
          <Stack gap="lg">
            {pull.status === 'failed' && (
              <Note tone="danger" title="The pull could not continue">
                {endSentence(pull.error ?? 'The reason is not known')} When that is mended, resume
                it: it goes on with the members who were not tried yet.
              </Note>
            )}
            <PullVerdict pull={pull} />
            {pull.status !== 'completed' && <PullProgress pull={pull} />}
            <WarningList warnings={pull.warnings} title="What members did not get back" />
            {pull.processed > pull.results.joined && <PullResults pull={pull} />}
            {!isRunning(pull) && <RecallPanel pull={pull} />}
            {!isRunning(pull) && <PullFollowUp pull={pull} />}
          </Stack>
        </>
      )}
    </RecordPage>
  );
};

const tookOf = ({ createdAt, startedAt, completedAt }: PullRecord): string => {
  const from = Date.parse(startedAt ?? createdAt);
  return formatDuration(Math.max(0, Date.parse(completedAt ?? createdAt) - from) / 1000);
};

/** Goes on with those who have no result yet; there is no cooldown for it. */
const ResumePull = ({ pull: { id, serverId, status, processed, total } }: { pull: PullRecord }) => {
  const isUntried = status === 'cancelled' || status === 'failed';
  if (!isUntried || (total > 0 && processed === total)) return null;
  return (
    <ConfirmButton
      isDangerous
      button={{ children: 'Resume the pull' }}
      title="Resume the pull?"
      label="Resume it"
      action={() => api.resumePull({ params: { id } })}
      invalidates={[queryKeys.pull(id), queryKeys.pulls(serverId)]}
      message="The pull goes on."
    >
      {total > processed
        ? `It goes on with ${plural(total - processed, 'member')} who were not tried yet.`
        : 'It begins with the members who could be brought back when it was started.'}
    </ConfirmButton>
  );
};

const StopPull = ({ pull: { id } }: { pull: PullRecord }) => (
  <StopButton label="Stop the pull" action={() => api.cancelPull({ params: { id } })}>
    It stops after the current member. Members who have joined stay.
  </StopButton>
);
