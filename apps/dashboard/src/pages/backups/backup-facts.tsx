import { Divider, Paper, Stack, Text } from '@mantine/core';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { countWords, sizeWords } from '../../parts/words.ts';
import { BackupState, Proof } from './backup-state.tsx';
import { type BackupRecord, componentWords, countLabels } from './backup-words.ts';

export const BackupFacts = ({ backup }: { backup: BackupRecord }) => (
  <Paper withBorder p="md">
    <Stack gap="md">
      <Facts
        facts={[
          { label: 'State', value: <BackupState backup={backup} /> },
          { label: 'Size', value: sizeWords(backup.sizeBytes) },
          { label: 'Added to your storage', value: sizeWords(backup.storedBytes) },
          { label: 'Last read back', value: <Moment at={backup.verifiedAt} never="Not yet" /> },
        ]}
      />
      <Divider />
      <Facts
        facts={heldCounts(backup).map(([name, count]) => ({
          label: countLabels[name],
          value: countWords(count),
        }))}
      />
      <Text size="sm" c="dimmed">
        Holds {backup.components.map((name) => componentWords[name].label.toLowerCase()).join(', ')}
        .
      </Text>
      <Divider />
      <ProofInWords backup={backup} />
    </Stack>
  </Paper>
);

type CountName = keyof BackupRecord['counts'];

/** What was not asked for is left out; a zero of what was asked for is a fact. */
const heldCounts = ({ counts, components }: BackupRecord): [CountName, number][] => {
  // The labels name each count once, so their keys are just these.
  const names = Object.keys(countLabels) as CountName[];
  return names
    .filter((name) => components.includes(name === 'members' ? 'memberRoles' : name))
    .map((name) => [name, counts[name]]);
};

const ProofInWords = ({ backup }: { backup: BackupRecord }) => (
  <Stack gap={4}>
    <Proof backup={backup} />
    <Text size="sm" c="dimmed">
      {proofWords(backup)}
    </Text>
  </Stack>
);

const proofWords = ({ status, restorable, warnings }: BackupRecord): string => {
  if (status !== 'completed') return 'A drill is held as soon as the backup is complete.';
  if (restorable === null) {
    return 'A drill is held by itself in a moment: the backup is restored into a pretended server, to see whether everything comes back.';
  }
  if (!restorable) return 'In the drill something did not come back, or could not be read.';
  const whole =
    'In the drill it was read whole and restored into a pretended server. This is repeated every week.';
  return warnings.length === 0 ? `${whole} Everything came back.` : whole;
};
