import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

/** cdk-nag's packs that a template is held to; a finding without an acknowledged reason fails synthesis. */
export const packs = [AwsSolutionsChecks, ServerlessChecks];
