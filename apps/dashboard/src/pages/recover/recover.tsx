import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { useNow } from '../../components/job-progress.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page.tsx';
import { StepList } from '../../components/step-list.tsx';
import { incidentsQuery } from '../../queries/protection.ts';
import type { Incident, PullRecord, RestoreRecord } from '../../queries/records.ts';
import { pullsQuery, restoresQuery } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { ChooseStage } from './choose-stage.tsx';
import { BringingStage, DoneStage, MembersStage, RestoringStage } from './later-stages.tsx';
import { type RecoveryStage, recoveryStageOf, recoverySteps } from './recovery-stage.ts';

/** From a damaged or lost server to everything back, one step after the other. */
export const Recover = () => {
  const { id } = useServer();
  const restores = useQuery(restoresQuery(id, 1));
  const pulls = useQuery(pullsQuery(id, 1));
  const incidents = useQuery(incidentsQuery(id, 1));
  return (
    <>
      <PageHead
        title="Recover"
        description="Brings the server back as it was in a backup, and its members with it. You can leave at any time: this page knows where you were."
      />
      <Loaded query={restores} height={400}>
        {({ data: [restore] }) => (
          <Loaded query={pulls} height={400}>
            {({ data }) => (
              <Loaded query={incidents} height={400}>
                {(found) => <Way restore={restore} pulls={data} incidents={found.data} />}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </>
  );
};

type WayProps = {
  restore: RestoreRecord | undefined;
  pulls: PullRecord[];
  incidents: Incident[];
};

const Way = ({ restore, pulls, incidents }: WayProps) => {
  const { id, health } = useServer();
  const [search] = useSearchParams();
  const stage = recoveryStageOf({
    ...{
      health,
      restore,
      pull: pulls.find(({ targetServerId }) => targetServerId === id),
      incidents,
    },
    ...{ ignoredRestoreId: search.get('after'), acceptedRestoreId: search.get('with') },
    now: useNow(true),
  });
  return (
    <Stack gap="lg" maw={860}>
      <StepList steps={recoverySteps(stage)} isShort />
      <Stage stage={stage} pulls={pulls} />
    </Stack>
  );
};

const Stage = ({ stage, pulls }: { stage: RecoveryStage; pulls: PullRecord[] }) => {
  if (stage.name === 'choose') return <ChooseStage {...stage} pulls={pulls} />;
  if (stage.name === 'restoring') return <RestoringStage restore={stage.restore} />;
  if (stage.name === 'members') return <MembersStage restore={stage.restore} pulls={pulls} />;
  if (stage.name === 'bringing') return <BringingStage pull={stage.pull} />;
  return <DoneStage restore={stage.restore} pull={stage.pull} />;
};
