import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

type WholeNumberProps = Omit<NumberInputProps, 'value' | 'onChange'> & {
  value: number;
  onChange: (value: number) => void;
};

/** A number field that may be empty while the reader types, and keeps its number if nothing is typed. */
export const WholeNumber = ({ value, onChange, ...field }: WholeNumberProps) => {
  const [isEmpty, setEmpty] = useState(false);
  return (
    <NumberInput
      {...field}
      value={isEmpty ? '' : value}
      onChange={(typed) => {
        setEmpty(typeof typed !== 'number');
        if (typeof typed === 'number') onChange(typed);
      }}
      onBlur={() => setEmpty(false)}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="strict"
    />
  );
};
