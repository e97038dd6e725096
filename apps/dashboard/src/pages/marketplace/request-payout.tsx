import type { Output } from '@holdfast/sdk';
import { Button, Group, NumberInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { useAct } from '../../parts/use-act.ts';
import { moneyWords } from '../../parts/words.ts';
import { centsIn } from './price.ts';

/** Money that leaves: the amount first, then the question whether that is meant. */
export const RequestPayout = ({ standing }: { standing: Output<'getBillingStanding'> }) => {
  const { earnedCents, currency } = standing;
  const [amount, setAmount] = useState<number | string>('');
  const [isAsking, asking] = useDisclosure(false);
  const amountCents = centsIn(amount) ?? 0;
  const isTooMuch = amountCents > earnedCents;
  const request = useAct<void>(() => api.createPayout({ body: { amountCents } }), {
    done: 'The payout is asked for. The operator sends it to you.',
    touches: [['ledger']],
    onDone: () => setAmount(''),
    isQuietOnError: true,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (amountCents > 0 && !isTooMuch) asking.open();
      }}
    >
      <Group align="flex-end" gap="sm">
        <NumberInput
          label={`Amount in ${currency}`}
          value={amount}
          onChange={setAmount}
          min={0}
          decimalScale={2}
          hideControls
          w={140}
          disabled={earnedCents <= 0}
          error={amountCents > 0 && isTooMuch ? 'More than you earned' : undefined}
        />
        <Button type="submit" variant="default" disabled={amountCents === 0 || isTooMuch}>
          Ask for a payout
        </Button>
      </Group>
      <ConfirmDanger
        opened={isAsking}
        onClose={asking.close}
        title="Ask for a payout"
        label={`Pay out ${moneyWords(amountCents, currency)}`}
        onConfirm={() => request.mutateAsync()}
      >
        {moneyWords(amountCents, currency)} leave what you earned at once. The operator then sends
        them to you; this cannot be taken back.
      </ConfirmDanger>
    </form>
  );
};
