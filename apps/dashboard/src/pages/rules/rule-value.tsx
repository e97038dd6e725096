import type { RuleType } from '@holdfast/contract';
import { type InputWrapperProps, Select, TextInput } from '@mantine/core';
import { listCountries } from './countries.ts';
import { ruleTypes } from './rule-types.ts';

type RuleValueProps = {
  type: RuleType;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  disabled: boolean;
};

const countryChoice = listCountries().map(({ code, name }) => ({
  value: code,
  label: `${name} (${code})`,
}));

/** Explanations of different length below the fields leave these in one line. */
export const belowInput: InputWrapperProps['inputWrapperOrder'] = [
  'label',
  'input',
  'description',
  'error',
];

/** What a rule is held against: a country is chosen, everything else is typed. */
export const RuleValue = ({ type, value, onChange, error, disabled }: RuleValueProps) => {
  const { value: label, example } = ruleTypes[type];
  if (type === 'COUNTRY') {
    return (
      <Select
        label={label}
        inputWrapperOrder={belowInput}
        description={`Type to search, for example ${example}`}
        data={countryChoice}
        value={value || null}
        onChange={(code) => onChange(code ?? '')}
        searchable
        nothingFoundMessage="No country has this in its name"
        error={error}
        disabled={disabled}
      />
    );
  }
  return (
    <TextInput
      label={label}
      inputWrapperOrder={belowInput}
      description={`For example ${example}`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      disabled={disabled}
      autoComplete="off"
      spellCheck={false}
      maxLength={256}
    />
  );
};
