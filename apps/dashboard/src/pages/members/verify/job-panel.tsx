import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { StopButton } from '../../../components/confirm.tsx';
import { isolatedName, Moment, StatusBadge } from '../../../components/display.tsx';
import { JobProgress } from '../../../components/job-progress.tsx';
import { RecordTable } from '../../../components/list.tsx';
import { Note, Section } from '../../../components/page.tsx';
import { formatCount, formatRatio } from '../../../labels/format.ts';
import { filterLabel, massVerificationMessage } from '../../../labels/mass-verifications.ts';
import { isRunning } from '../../../labels/status.ts';
import type { MassVerification } from '../../../queries/records.ts';
import { guildQuery, useServer } from '../../../queries/servers.ts';

/** The mass verification that runs, or the last one. */
export const JobPanel = ({ job }: { job: MassVerification }) => {
  const { results, processed, total } = job;
  const filter = useFilterLabel();
  return (
    <Section
      title={isRunning(job) ? 'Members are being verified' : 'Last time'}
      note={`Members of the server: ${filter(job)}.`}
      padding="md"
    >
      <Stack gap="md">
        <JobProgress
          job={job}
          kind="mass verification"
          message={massVerificationMessage(job)}
          facts={[
            { label: 'Processed', value: formatRatio(processed, total) },
            { label: 'Got the role', value: formatCount(results.given) },
            { label: 'Had it already', value: formatCount(results.already) },
            ...(results.failed > 0
              ? [{ label: 'Refused by the platform', value: formatCount(results.failed) }]
              : []),
          ]}
        />
        {job.error !== null && <Note tone="danger">{job.error}</Note>}
        {isRunning(job) && (
          <Group>
            <StopButton
              label="Stop"
              action={() => api.cancelMassVerification({ params: { id: job.id } })}
            >
              Members who have the role by then keep it. You can start again at any time.
            </StopButton>
          </Group>
        )}
      </Stack>
    </Section>
  );
};

const useFilterLabel = () => {
  const { data } = useQuery(guildQuery(useServer().id));
  return (job: MassVerification): string => {
    const role = data?.roles.find(({ id }) => id === job.roleId);
    return filterLabel(job, role && isolatedName(role.name));
  };
};

export const JobHistory = ({ jobs }: { jobs: MassVerification[] }) => {
  const filter = useFilterLabel();
  return (
    <Section title="Earlier" padding="md">
      <RecordTable
        caption="Earlier mass verifications"
        rows={jobs}
        columns={[
          { header: 'Started', cell: ({ createdAt }) => <Moment at={createdAt} /> },
          { header: 'Who', cell: filter },
          { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
          {
            header: 'Got the role',
            isNumber: true,
            cell: ({ results }) => formatCount(results.given),
          },
        ]}
      />
    </Section>
  );
};
