import { JobProgress } from '../../components/job-progress.tsx';
import { formatCount, formatDuration, formatRatio } from '../../labels/format.ts';
import { pullMessages } from '../../labels/pulls.ts';
import type { PullRecord } from '../../queries/records.ts';

export const PullProgress = ({ pull }: { pull: PullRecord }) => {
  const { status, processed, total, results, etaSeconds } = pull;
  return (
    <JobProgress
      job={pull}
      kind="pull"
      message={pullMessages[status]}
      facts={[
        { label: 'Tried', value: formatRatio(processed, total) },
        { label: 'Joined', value: formatCount(results.joined) },
      ]}
      timeRemaining={etaSeconds === null ? 'not known yet' : `about ${formatDuration(etaSeconds)}`}
    />
  );
};
