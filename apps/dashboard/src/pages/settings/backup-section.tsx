import {
  Fieldset,
  NumberInput,
  type NumberInputProps,
  SimpleGrid,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import { useState } from 'react';
import { Section } from '../../components/page.tsx';
import type { Settings } from './changed-settings.ts';
import type { SettingsForm } from './use-settings.ts';

const defaultHours = 24;

const spans: { span: keyof Settings['retention']; label: string }[] = [
  { span: 'daily', label: 'Daily' },
  { span: 'weekly', label: 'Weekly' },
  { span: 'monthly', label: 'Monthly' },
];

export const BackupSection = ({ form: { settings, edit, errorOf } }: { form: SettingsForm }) => {
  const { backupSchedule, retention } = settings;
  return (
    <Section title="Backups">
      <Stack gap="lg">
        <Switch
          label="Automatic backups"
          description="A backup of a wrecked server never replaces a good one."
          checked={backupSchedule !== null}
          onChange={({ currentTarget }) =>
            edit({ backupSchedule: currentTarget.checked ? { everyHours: defaultHours } : null })
          }
        />
        {backupSchedule && (
          <WholeNumber
            label="Interval in hours"
            description="1 to 168, which is a week."
            value={backupSchedule.everyHours}
            onChange={(everyHours) => edit({ backupSchedule: { everyHours } })}
            error={errorOf('backupSchedule')}
            min={1}
            max={168}
            maw={320}
          />
        )}
        <Fieldset legend="How many scheduled backups are kept">
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            {spans.map(({ span, label }) => (
              <WholeNumber
                key={span}
                label={label}
                value={retention[span]}
                onChange={(count) => edit({ retention: { ...retention, [span]: count } })}
                min={0}
                max={100}
              />
            ))}
          </SimpleGrid>
          <Text size="sm" c="dimmed" mt="sm">
            Backups made by hand are kept until you delete them.
          </Text>
        </Fieldset>
      </Stack>
    </Section>
  );
};

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
