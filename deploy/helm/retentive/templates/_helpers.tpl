{{/* The release's name for its objects: at most 50 characters, so that `-worker` and what Kubernetes appends fit. */}}
{{- define "retentive.name" -}}
{{- if contains "retentive" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-retentive" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* What a part is found by; never changed in an upgrade. Given: a list of the chart's context and the part. */}}
{{- define "retentive.selector" -}}
app.kubernetes.io/name: retentive
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "retentive.labels" -}}
{{ include "retentive.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{/* Of every pod: nobody's rights, no way to the cluster, spread over nodes. */}}
{{- define "retentive.pod" -}}
{{- $root := index . 0 -}}
serviceAccountName: {{ include "retentive.name" $root }}
automountServiceAccountToken: false
enableServiceLinks: false # their variables begin with the release's name, which may be RETENTIVE_
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
terminationGracePeriodSeconds: 30
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "retentive.selector" . | nindent 8 }}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: {}
{{- end }}

{{/* Of every container: the image, what it may do, its settings. */}}
{{- define "retentive.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  {{- $secret := required "existingSecret is the name of a Secret whose key `url` is the URL of a Postgres store" .Values.existingSecret }}
  {{- range $name, $key := .Values.secretKeys }}
  - name: {{ $name }}
    valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ $key }} } }
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | toString | quote }}
  {{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "retentive.disruption" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "retentive.name" (index . 0) }}-{{ index . 1 }}
  labels:
    {{- include "retentive.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "retentive.selector" . | nindent 6 }}
{{- end }}
