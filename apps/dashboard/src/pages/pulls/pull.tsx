import { Alert, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Navigate, useParams } from 'react-router';
import { api } from '../../api.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { ConfirmStop } from '../../parts/confirm-stop.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { sentence } from '../../parts/sentence.ts';
import { useServer } from '../../parts/use-server.ts';
import { PullFollowUp } from './pull-follow-up.tsx';
import { TargetName } from './pull-list.tsx';
import { PullProgress } from './pull-progress.tsx';
import { PullResults } from './pull-results.tsx';
import { isUnderWay, type PullRecord } from './pull-words.ts';
import { usePull } from './use-pulls.ts';

export const Pull = () => {
  const { pullId = '' } = useParams();
  const { id } = useServer();
  const pull = usePull(pullId);
  return (
    <>
      <BackLink to={`/servers/${id}/pulls`}>All pulls</BackLink>
      {!pull.data && <PageHead title="Pull" />}
      <Loaded query={pull} height={400}>
        {(record) =>
          record.serverId === id ? (
            <OnePull key={record.id} pull={record} />
          ) : (
            <Navigate to={`/servers/${record.serverId}/pulls/${record.id}`} replace />
          )
        }
      </Loaded>
    </>
  );
};

const OnePull = ({ pull }: { pull: PullRecord }) => (
  <>
    <PageHead
      title="Pull"
      description={
        <>
          Into <TargetName serverId={pull.targetServerId} />, begun{' '}
          <Moment at={pull.createdAt} isExact />
        </>
      }
      actions={isUnderWay(pull) && <StopPull pull={pull} />}
    />
    <Stack gap="lg">
      {pull.status === 'failed' && (
        <Alert
          color="red"
          title="The pull could not go on"
          icon={<IconAlertTriangle aria-hidden />}
        >
          {sentence(pull.error ?? 'The reason is not known')} Who was not called yet is as before,
          and can be called by another pull.
        </Alert>
      )}
      <PullProgress pull={pull} />
      {pull.processed > 0 && <PullResults pull={pull} />}
      {!isUnderWay(pull) && <PullFollowUp pull={pull} />}
    </Stack>
  </>
);

const StopPull = ({ pull: { id } }: { pull: PullRecord }) => (
  <ConfirmStop label="Stop the pull" onStop={() => api.cancelPull({ params: { id } })}>
    It ends after the member it is at. Who has joined stays.
  </ConfirmStop>
);
