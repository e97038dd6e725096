import type { ChainFaultReason } from '@holdfast/contract';
import type { Output } from '@holdfast/sdk/dashboard';
import { Button, Text } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Note } from '../../components/page.tsx';
import { formatCount, plural } from '../../labels/format.ts';

type Report = Output<'verifyAudit'>;

/** A long chain is verified in parts. */
const verifyAll = async (onPart: (entries: number) => void): Promise<Report> => {
  for (let after = 0; ; ) {
    const report = await api.verifyAudit({ query: { after } });
    if (report.isFinished) return report;
    after = report.entries;
    onPart(after);
  }
};

/** Verifies the whole chain: a button for the head of the page, and what came of it. */
export const useVerifyChain = () => {
  const [verified, setVerified] = useState(0);
  const verify = useMutation({
    mutationFn: () => verifyAll(setVerified),
    onMutate: () => setVerified(0),
  });
  return {
    button: (
      <Button
        variant="default"
        leftSection={<IconLink size={16} aria-hidden />}
        loading={verify.isPending}
        onClick={() => verify.mutate()}
      >
        Verify the chain
      </Button>
    ),
    result: (
      <>
        <div aria-live="polite">
          {verify.isPending && verified > 0 && (
            <Text size="sm">{formatCount(verified)} entries are intact so far …</Text>
          )}
          {verify.data && !verify.isPending && <Verdict report={verify.data} />}
        </div>
        {verify.error && <ErrorNote error={verify.error} />}
      </>
    ),
  };
};

const faults: Record<ChainFaultReason, string> = {
  'entry missing': 'It is missing.',
  'does not follow': 'It does not follow the entry before it.',
  altered: 'It was altered after it was written.',
  'not what the chain ends with': 'It is not the entry the log ended with.',
};

const Verdict = ({ report: { entries, fault } }: { report: Report }) =>
  fault === null ? (
    <Note tone="success" title="The chain is intact">
      {entries === 1 ? 'The one entry is' : `All ${plural(entries, 'entry', 'entries')} are`} as
      written.
    </Note>
  ) : (
    <Note tone="danger" title={`The chain breaks at entry ${formatCount(fault.seq)}`}>
      {faults[fault.reason]} The {plural(entries, 'entry', 'entries')} before it can be trusted,
      what follows cannot. Ask the operator who had access to the database.
    </Note>
  );
