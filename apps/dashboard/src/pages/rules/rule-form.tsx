import { Button, Group, Paper, Select, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type FormEvent, useId } from 'react';
import { ErrorNote } from '../../parts/error-note.tsx';
import type { RuleList } from './rule-lists.ts';
import { ruleTypeNames, ruleTypes } from './rule-types.ts';
import { belowInput, RuleValue } from './rule-value.tsx';
import { useNewRule } from './use-new-rule.ts';

type RuleFormProps = { list: RuleList; mayAdd: boolean };

export const RuleForm = ({ list, mayAdd }: RuleFormProps) => {
  const headingId = useId();
  const rule = useNewRule(list);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rule.add.mutate();
  };
  return (
    <Paper withBorder p="lg" component="form" aria-labelledby={headingId} onSubmit={submit}>
      <Stack gap="md">
        <Title order={2} size="h4" id={headingId}>
          Add a rule
        </Title>
        <RuleFields rule={rule} disabled={!mayAdd} />
        {rule.otherError && <ErrorNote error={rule.otherError} />}
        <Group justify="flex-end">
          <Button
            type="submit"
            leftSection={<IconPlus size={16} aria-hidden />}
            loading={rule.add.isPending}
            disabled={!mayAdd || rule.value.trim() === ''}
          >
            Add the rule
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
};

const typeChoice = ruleTypeNames.map((value) => ({ value, label: ruleTypes[value].label }));

type RuleFieldsProps = { rule: ReturnType<typeof useNewRule>; disabled: boolean };

const RuleFields = ({ rule, disabled }: RuleFieldsProps) => (
  <>
    <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="md">
      <Select
        label="About"
        inputWrapperOrder={belowInput}
        description={ruleTypes[rule.type].about}
        data={typeChoice}
        value={rule.type}
        onChange={rule.chooseType}
        allowDeselect={false}
        disabled={disabled}
      />
      <RuleValue
        type={rule.type}
        value={rule.value}
        onChange={rule.setValue}
        error={rule.errors.value}
        disabled={disabled}
      />
    </SimpleGrid>
    <TextInput
      label="Note"
      description="Why, for yourself and your helpers. Nobody else sees it."
      value={rule.note}
      onChange={(event) => rule.setNote(event.currentTarget.value)}
      error={rule.errors.note}
      maxLength={500}
      disabled={disabled}
    />
  </>
);
