import { Stack } from '@mantine/core';
import { Navigate, useParams } from 'react-router';
import { api } from '../../api.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { ConfirmStop } from '../../parts/confirm-stop.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useServer } from '../../parts/use-server.ts';
import { WarningList } from '../../parts/warning-list.tsx';
import { RestoreOutcome } from './restore-outcome.tsx';
import { RestoreProgress } from './restore-progress.tsx';
import { RestoreSources } from './restore-sources.tsx';
import { RestoreStages } from './restore-stages.tsx';
import { isActive, type RestoreRecord, useRestore } from './use-restores.ts';

export const Restore = () => {
  const { restoreId = '' } = useParams();
  const { id } = useServer();
  const restore = useRestore(restoreId);
  return (
    <>
      <BackLink to={`/servers/${id}/backups`}>All backups</BackLink>
      {!restore.data && <PageHead title="Restore" />}
      <Loaded query={restore} height={400}>
        {(record) =>
          record.serverId === id ? (
            <OneRestore key={record.id} restore={record} />
          ) : (
            <Navigate to={`/servers/${record.serverId}/restores/${record.id}`} replace />
          )
        }
      </Loaded>
    </>
  );
};

const OneRestore = ({ restore }: { restore: RestoreRecord }) => (
  <>
    <PageHead
      title="Restore"
      description={
        <>
          Begun <Moment at={restore.createdAt} isExact />
        </>
      }
      actions={isActive(restore) && <StopRestore restore={restore} />}
    />
    <Stack gap="lg">
      <RestoreOutcome restore={restore} />
      <RestoreProgress restore={restore} />
      <WarningList
        warnings={restore.warnings}
        title={restore.status === 'partial' ? 'What is missing or differs' : undefined}
      />
      <RestoreStages restore={restore} />
      <RestoreSources restore={restore} />
    </Stack>
  </>
);

const StopRestore = ({ restore: { id } }: { restore: RestoreRecord }) => (
  <ConfirmStop label="Stop the restore" onStop={() => api.cancelRestore({ params: { id } })}>
    It ends after the step it is at. What was done until then stays, so the server may be left
    between old and new. You can undo it afterwards.
  </ConfirmStop>
);
