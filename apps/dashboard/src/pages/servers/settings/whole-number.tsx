import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

type WholeNumberProps = Omit<NumberInputProps, 'value' | 'onChange'> & {
  value: number;
  onChange: (value: number) => void;
};

/** A number that may be wiped out while another is typed, and comes back if none is. */
export const WholeNumber = ({ value, onChange, ...field }: WholeNumberProps) => {
  const [isWiped, setWiped] = useState(false);
  return (
    <NumberInput
      {...field}
      value={isWiped ? '' : value}
      onChange={(typed) => {
        setWiped(typeof typed !== 'number');
        if (typeof typed === 'number') onChange(typed);
      }}
      onBlur={() => setWiped(false)}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="strict"
    />
  );
};
