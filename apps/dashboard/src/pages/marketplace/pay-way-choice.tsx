import type { PayWay } from '@holdfast/contract';
import { Radio, Stack } from '@mantine/core';
import { useStanding } from '../../parts/use-standing.ts';
import { moneyWords } from '../../parts/words.ts';

type PayWayChoiceProps = {
  value: PayWay;
  onChange: (way: PayWay) => void;
  totalCents: number;
};

export const PayWayChoice = ({ value, onChange, totalCents }: PayWayChoiceProps) => {
  const { data: standing } = useStanding();
  const isEnough = (standing?.earnedCents ?? 0) >= totalCents;
  const ways: { way: PayWay; label: string; explanation: string }[] = [
    { way: 'CARD', label: 'By card', explanation: 'On the card provider’s page. Takes seconds.' },
    {
      way: 'CRYPTO',
      label: 'With cryptocurrency',
      explanation: 'On the provider’s page. Paid once the network has confirmed it.',
    },
    {
      way: 'BALANCE',
      label: 'From what you earned',
      explanation: balanceWords(standing, isEnough),
    },
  ];
  return (
    <Radio.Group
      label="How to pay"
      value={value}
      onChange={(chosen) => onChange(ways.find(({ way }) => way === chosen)?.way ?? 'CARD')}
    >
      <Stack gap="xs" mt={4}>
        {ways.map(({ way, label, explanation }) => (
          <Radio
            key={way}
            value={way}
            label={label}
            description={explanation}
            disabled={way === 'BALANCE' && !isEnough}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
};

type Balance = { earnedCents: number; currency: string };

const balanceWords = (standing: Balance | undefined, isEnough: boolean): string => {
  if (!standing) return 'Paid at once.';
  const { earnedCents, currency } = standing;
  const amount = moneyWords(earnedCents, currency);
  return isEnough
    ? `Paid at once. You have earned ${amount}.`
    : `You have earned ${amount}, which is too little. Credit pays for plans.`;
};
