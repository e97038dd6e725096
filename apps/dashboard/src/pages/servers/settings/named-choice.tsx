import { ColorSwatch, Group, Select, TextInput } from '@mantine/core';
import { Name } from '../../../parts/name.tsx';

export type Choice = { id: string; name: string; color?: string | null };

type NamedChoiceProps = {
  label: string;
  description: string;
  /** Undefined while the platform is being asked, null where it could not be. */
  choices: Choice[] | null | undefined;
  value: string | null;
  onChange: (id: string | null) => void;
  error: string | undefined;
};

/** Something of the guild, chosen by its name; by its id where the names cannot be had. */
export const NamedChoice = (props: NamedChoiceProps) => {
  const { choices, value, onChange, ...field } = props;
  if (choices === null) {
    return (
      <TextInput
        {...field}
        label={`${field.label} (ID)`}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim() || null)}
        inputMode="numeric"
        autoComplete="off"
      />
    );
  }
  const known = choices ?? [];
  const isLost = value !== null && !known.some(({ id }) => id === value);
  const lost = isLost
    ? [{ id: value, name: choices ? `${value} (not in the server)` : value }]
    : [];
  const all: Choice[] = [...lost, ...known];
  return (
    <Select
      {...field}
      data={all.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      placeholder={choices ? 'None' : 'Asking the platform…'}
      disabled={!choices}
      renderOption={({ option }) => (
        <Option choice={all.find(({ id }) => id === option.value)} label={option.label} />
      )}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Choose no ${field.label.toLowerCase()}` }}
      nothingFoundMessage="None of that name"
    />
  );
};

const Option = ({ choice, label }: { choice: Choice | undefined; label: string }) => (
  <Group gap="xs" wrap="nowrap">
    {choice?.color !== undefined && (
      <ColorSwatch size={12} color={choice.color ?? 'var(--mantine-color-dimmed)'} aria-hidden />
    )}
    <Name>{label}</Name>
  </Group>
);
