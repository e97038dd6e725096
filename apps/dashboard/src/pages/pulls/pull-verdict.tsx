import { Group } from '@mantine/core';
import { Note, TextLink } from '../../components/page.tsx';
import { formatCount, formatRatio, plural } from '../../labels/format.ts';
import type { PullRecord } from '../../queries/records.ts';

/** How a completed pull ended, in one sentence, and where to go from here. */
export const PullVerdict = ({ pull }: { pull: PullRecord }) => {
  const { status, total, results, targetServerId } = pull;
  if (status !== 'completed' || total === 0) return null;
  const back = results.joined + results.alreadyMember;
  return (
    <Note
      tone={back === total ? 'success' : 'warning'}
      title={`${formatRatio(back, total)} members are back`}
    >
      {detailOf(pull)}
      <Group gap="md" mt="xs">
        <TextLink to={`/servers/${targetServerId}/members`} c="inherit">
          See the members
        </TextLink>
        <TextLink to={`/servers/${targetServerId}`} c="inherit">
          Open the server
        </TextLink>
      </Group>
    </Note>
  );
};

const detailOf = ({ total, results: { joined, alreadyMember } }: PullRecord): string => {
  if (joined === total)
    return total === 1 ? 'The member joined.' : `All ${formatCount(total)} joined.`;
  const missing = total - joined - alreadyMember;
  return [
    `${formatCount(joined)} joined.`,
    alreadyMember > 0 ? `${plural(alreadyMember, 'was', 'were')} there already.` : '',
    missing > 0 ? `${formatCount(missing)} could not be brought back: the results say why.` : '',
  ]
    .filter(Boolean)
    .join(' ');
};
