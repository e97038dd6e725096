import type { Output } from '@holdfast/sdk';
import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconLink, IconShieldCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { countWords, plural } from '../../parts/words.ts';

type Report = Output<'verifyAudit'>;

/** A long chain is looked at part by part. */
const verifyAll = async (onPart: (entries: number) => void): Promise<Report> => {
  for (let after = 0; ; ) {
    const report = await api.verifyAudit({ query: { after } });
    if (report.isFinished) return report;
    after = report.entries;
    onPart(after);
  }
};

export const VerifyChain = () => {
  const [lookedAt, setLookedAt] = useState(0);
  const verify = useMutation({
    mutationFn: () => verifyAll(setLookedAt),
    onMutate: () => setLookedAt(0),
  });
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="verify-chain">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Stack gap={4} flex="1 1 320px">
            <Title order={2} size="h4" id="verify-chain">
              Is the log as it was written?
            </Title>
            <Text size="sm" c="dimmed">
              Each entry’s seal covers the entry and the seal before it. Whoever alters, drops or
              reorders one breaks all that follow.
            </Text>
          </Stack>
          <Button
            variant="default"
            leftSection={<IconLink size={16} aria-hidden />}
            loading={verify.isPending}
            onClick={() => verify.mutate()}
          >
            Verify the chain
          </Button>
        </Group>
        <div aria-live="polite">
          {verify.isPending && lookedAt > 0 && (
            <Text size="sm">{countWords(lookedAt)} entries are good so far …</Text>
          )}
          {verify.data && !verify.isPending && <Verdict report={verify.data} />}
        </div>
        {verify.error && <ErrorNote error={verify.error} />}
      </Stack>
    </Paper>
  );
};

const faults: Record<string, string> = {
  'entry missing': 'It is missing.',
  'does not follow': 'It does not follow upon the one before it.',
  altered: 'It was altered after it had been written.',
  'not what the chain ends with': 'It is not what the log ended with.',
};

const Verdict = ({ report: { entries, fault } }: { report: Report }) =>
  fault === null ? (
    <Alert color="green" icon={<IconShieldCheck aria-hidden />} title="The chain is intact">
      {entries === 1 ? 'The one entry is' : `All ${plural(entries, 'entry', 'entries')} are`} as
      written.
    </Alert>
  ) : (
    <Alert
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={`The chain breaks at entry ${countWords(fault.seq)}`}
    >
      {faults[fault.reason] ?? `It is ${fault.reason}.`} The {plural(entries, 'entry', 'entries')}{' '}
      before it can be trusted, what follows cannot. Ask the operator who had access to the
      database.
    </Alert>
  );
